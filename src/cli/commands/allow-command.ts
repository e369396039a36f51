import {addGrant, shownGrants, type GrantsLocation} from '../../config/grants-file.ts';
import {refuseLoosening} from '../../config/loosening.ts';
import {exitCodes, isIonError, IonError, quoted, renderMessage} from '../../errors.ts';
import {entryLine, listing} from '../../session/ask/allow-listing.ts';
import {askForEach} from '../../session/ask/allow-questions.ts';
import {openTerminal} from '../../session/ask/terminal.ts';
import type {Host} from '../../session/host.ts';
import {adviceTo} from '../../session/report/audience.ts';
import {messageFor} from '../../session/report/message-for.ts';
import {makeGranted} from '../../system/make-granted.ts';
import {proposalsFor, type Proposal} from '../../session/report/proposals.ts';
import {recordedRefusals, type RecordedRefusals} from '../recorded-refusals.ts';
import {printed, type CliResult} from '../result.ts';
import {denialOf, runLine} from './why-command.ts';

/**
 * `ion allow [<id>]`: shows the refusals and the settings that would allow them, asks for each setting, and stores the accepted
 * ones.
 */
export async function allowCommand(host: Host, id: string | undefined): Promise<CliResult> {
  const recorded = await recordedRefusals(host, id);
  const {plan, run, refused, inputs} = recorded;
  refuseLoosening('ion allow', plan.config.lock);
  const {workspace} = plan.config;
  if (run.workspace !== workspace)
    throw new IonError(
      `that run was not in this workspace, but in ${quoted(run.workspace ?? run.cwd, 4096)}`,
      {
        help: 'a grant is for one workspace: cd to that one',
      },
    );
  const counting = refused.filter(({expected}) => !expected);
  const {entries, left} = proposalsFor(counting, inputs);
  const place = {home: host.home!, workspace};
  const head = `${runLine(recorded)}${leftText(left, recorded)}`;
  if (entries.length === 0) {
    const denied = denialOf(recorded);
    const why = denied.length > 0 ? ': no grant overrides what denied the command' : ': nothing was refused';
    const text = `there is nothing to allow${counting.length === 0 ? why : ''}`;
    return {...printed(head + denied.join('')), exitCode: exitCodes.failed, stderr: renderMessage({text})};
  }
  const shown = `${head}${listing(entries, shownGrants(place))}`;
  const terminal = openTerminal(host);
  if (!terminal)
    return {
      ...printed(shown, exitCodes.failed),
      stderr: renderMessage({
        text: 'nothing was allowed: there is no terminal to ask on',
        help: 'run "ion allow" at a terminal, or give the settings to one run with --set',
      }),
    };
  try {
    terminal.say(shown.trimEnd());
    return kept(place, await askForEach(entries, terminal, workspace));
  } finally {
    terminal.close();
  }
}

/** Refusals that no entry of the lists would allow. */
function leftText(
  left: readonly RecordedRefusals['refused'][number][],
  {inputs, reader}: RecordedRefusals,
): string {
  return left
    .map(({id, violation}) => {
      const message = messageFor({kind: 'violation', violation, settings: inputs.settings});
      const help = adviceTo(reader, message.help)?.replace(/^\/allow; /, '');
      return `${id}  (not offered)\n${renderMessage({...message, help})}`;
    })
    .join('');
}

function kept(place: GrantsLocation, accepted: readonly Proposal[]): CliResult {
  const problems: string[] = [];
  // `full` last: it includes the loopback network, so an entry for that is added before it.
  const ordered = accepted.toSorted(
    (one, other) => Number(one.value === 'full') - Number(other.value === 'full'),
  );
  const written = ordered.filter(({key, value, makes}) => {
    try {
      if (makes) makeGranted(value, makes);
      addGrant(place, key, value);
      return true;
    } catch (error) {
      if (!isIonError(error)) throw error;
      problems.push(renderMessage({text: error.message, at: error.at, help: error.help}));
      return false;
    }
  });
  const shown = shownGrants(place);
  const lines = written.map((entry) => `  ${entryLine(entry)}\n`).join('');
  const stdout =
    written.length === 0
      ? ''
      : `allowed in ${quoted(place.workspace, 4096)}, in ${shown}:\n${lines}to undo it, remove the line from that file\n`;
  const none = accepted.length === 0 ? renderMessage({text: 'nothing was allowed: the answer was no'}) : '';
  const exitCode = written.length === 0 || problems.length > 0 ? exitCodes.failed : 0;
  return {...printed(stdout, exitCode), stderr: `${none}${problems.join('')}`};
}
