import {exitCodes} from '../errors.ts';
import {explain} from '../policy/explain.ts';
import {decisionRecord} from '../policy/record.ts';
import {checkEncoding, quoteArgv} from '../session/command.ts';
import {openSession, type Host} from '../session/session.ts';
import {write} from './output.ts';
import type {RunArguments} from './program.ts';
import {sessionFlags} from './run.ts';

/** `ion check`: the decision about a command, with the chain that led to it; nothing runs. Exit 0 allowed, 126 not. */
export async function checkCommand({words, argv, options}: RunArguments, host: Host): Promise<number> {
  checkEncoding(words);
  const command = argv ? await quoteArgv(words) : words[0]!;
  const session = await openSession(host, sessionFlags(options));
  const decision = await session.decide(command);
  write(
    1,
    options.json ? `${JSON.stringify(decisionRecord(decision), undefined, 2)}\n` : `${explain(decision)}\n`,
  );
  return decision.effect === 'allow' ? 0 : exitCodes.denied;
}
