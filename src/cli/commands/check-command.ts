import {IonError} from '../../errors.ts';
import {checkEncoding, quoteArgv} from '../../session/command-text.ts';
import {openSession, type Host} from '../../session/session.ts';
import {runCheck} from './check-result.ts';
import type {RunArguments} from '../program.ts';
import type {CliResult} from '../result.ts';
import {sessionFlags} from './run-command.ts';

/** `ion check`: the decision about an action, with the chain that led to it; nothing runs. Exit 0 allowed, 126 not. */
export async function checkCommand({words, argv, options}: RunArguments, host: Host): Promise<CliResult> {
  checkEncoding(words);
  const {tool = 'bash'} = options;
  if (tool !== 'bash') {
    const session = await openSession(host, sessionFlags(options));
    return runCheck({...(await session.judgeTool(tool, words)), json: options.json === true});
  }
  if (words.length === 0) {
    throw new IonError('there is no command to decide on', {help: 'usage: ion check "<bash command>"'});
  }
  const command = argv ? await quoteArgv(words) : words[0]!;
  const session = await openSession(host, {...sessionFlags(options), judgeOnly: true});
  const {action, decision} = await session.judge(command);
  return runCheck({action, decision, json: options.json === true});
}
