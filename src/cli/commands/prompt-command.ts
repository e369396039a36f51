import {isatty} from 'node:tty';
import type {AuditLog} from '../../audit/log.ts';
import {IonError} from '../../errors.ts';
import type {CommandEnd, CommandInput, Services} from '../../prompt/services.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import {isExpected, isProbe} from '../../session/report/expected.ts';
import {openRecorder} from '../../session/recorder.ts';
import type {Host, SessionFlags} from '../../session/session.ts';
import {runRecorded} from '../carry-out.ts';
import {showError} from '../failure.ts';
import {say} from '../output.ts';
import type {RunFlags} from '../run-flags.ts';
import type {Made} from '../run-in-progress.ts';
import {stateBoundary} from '../state.ts';
import {sessionFlags} from './run-command.ts';

/** `ion`: the prompt. `own` runs a command of ion itself. Returns the exit code. */
export async function promptCommand(
  options: RunFlags,
  host: Host,
  own: (args: readonly string[]) => Promise<number>,
): Promise<number> {
  if (!isatty(0) || !isatty(1)) {
    throw new IonError('the prompt needs a terminal', {help: 'usage: ion run "<bash command>"'});
  }
  const {runPrompt} = await import('../../prompt/prompt.ts');
  const flags: SessionFlags = {for: 'serve', audience: 'prompt', ...sessionFlags(options)};
  return runPrompt(host, flags, servicesOf(own));
}

function servicesOf(own: Services['own']): Services {
  return {
    say: (message) => say(message),
    async stateBoundary(session) {
      await stateBoundary(session, openRecorder(undefined, undefined));
    },
    async run(input) {
      const made: Made = {session: input.session};
      try {
        return endOf(await runCommand(input, made), made);
      } catch (error) {
        return endOf(showError(error, input.session.audience), made);
      }
    },
    async own(args) {
      try {
        return await own(args);
      } catch (error) {
        return showError(error);
      }
    },
  };
}

async function runCommand(input: CommandInput, made: Made): Promise<number> {
  const {session, command, isFirst} = input;
  const log: AuditLog | undefined = await openAuditLog(session, (text) => say({text}));
  const recorder = (made.recorder = openRecorder(log, undefined));
  if (isFirst) await session.notify('SessionStart', recorder.emit);
  const code = await runRecorded({...input, given: {command}, recorder, made, isLasting: true}, command);
  // A session that was opened only for this command: with the network, or with a grant.
  if (made.session && made.session !== session) made.session.close();
  return code;
}

/** ion does not mention refusals that are usual for a program, such as that of a history file. */
function endOf(code: number, {denial, ended, session}: Made): CommandEnd {
  const expected = session?.expected ?? [];
  const latest = ended?.violations.findLast((one) => !isProbe(one) && !isExpected(one, expected));
  return {code, denial: latest?.id ?? denial};
}
