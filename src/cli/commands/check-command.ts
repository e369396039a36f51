import {IonError} from '../../errors.ts';
import {checkEncoding, quoteArgv} from '../../session/command-text.ts';
import {grantOf, refusalsOf} from '../../session/report/check-record.ts';
import {withSession, type Host} from '../../session/session.ts';
import {runCheck} from './check-result.ts';
import type {RunArguments} from '../run-flags.ts';
import type {CliResult} from '../result.ts';
import {sessionFlags} from './run-command.ts';

/**
 * `ion check`: the decision about an action, with the chain that led to it. Nothing runs. Exit 0 if allowed, else
 * 126.
 */
export async function checkCommand({words, argv, options}: RunArguments, host: Host): Promise<CliResult> {
  checkEncoding(words);
  const {tool = 'bash'} = options;
  const flags = {for: 'preview', ...sessionFlags(options)} as const;
  if (tool !== 'bash') {
    const judged = await withSession(host, flags, (session) => session.previewTool(tool, words));
    return runCheck({...judged, json: options.json === true});
  }
  if (words.length === 0) {
    throw new IonError('no command to check', {help: 'usage: ion check "<bash command>"'});
  }
  const command = argv ? await quoteArgv(words) : words[0]!;
  const judged = await withSession(host, flags, async (session) => {
    const decided = await session.preview(command);
    return {...decided, refusals: refusalsOf(session, decided), grant: grantOf(session, decided)};
  });
  return runCheck({...judged, json: options.json === true});
}
