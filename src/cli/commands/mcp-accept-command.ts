import {exitCodes, IonError, quoted, renderMessage} from '../../errors.ts';
import {refuseLoosening} from '../../config/loosening.ts';
import {gather} from '../../config/read/gather.ts';
import {describeWaiting} from '../../mcp/gateway/definition-diff.ts';
import {acceptPins, waitingPins} from '../../mcp/gateway/pins.ts';
import type {Host} from '../../session/session.ts';
import {configRequest} from '../../session/session-flags.ts';
import {findRepositoryTop} from '../../config/read/start-folder.ts';
import {confirmOn} from '../confirm.ts';
import {homeOf} from '../home-of.ts';
import {printed, type CliResult} from '../result.ts';

/** `ion mcp accept`: shows what of the tools differs from what was accepted, and asks on the terminal whether to accept it. */
export async function mcpAcceptCommand(
  server: string,
  tool: string | undefined,
  host: Host,
): Promise<CliResult> {
  const {lock} = await gather(configRequest(host, {for: 'preview'}, findRepositoryTop(host.cwd)));
  refuseLoosening('ion mcp accept', lock);
  const home = homeOf(host);
  const {waiting: all, unlisted} = waitingPins(home, server);
  const waiting = all.filter(({name}) => tool === undefined || name === tool);
  if (waiting.length === 0) return printed(`no new or changed definition of ${quoted(server)} waits\n`);
  const listing = describeWaiting(waiting, tool === undefined ? unlisted : []);
  const answer = await confirmOn(host)(
    `${printed(listing).stdout}\nAccept these definitions of ${quoted(server)}? y / N: `,
  );
  if (answer === undefined)
    throw new IonError('nothing was accepted: there is no terminal to ask on', {
      help: `at a terminal: ion mcp accept ${server}`,
    });
  if (!answer)
    return {
      exitCode: exitCodes.failed,
      stdout: '',
      stderr: renderMessage({text: 'nothing was accepted: the answer was no'}),
    };
  acceptPins(home, server, waiting);
  return printed(`accepted: ${waiting.map(({name}) => name).join(' ')}\n`);
}
