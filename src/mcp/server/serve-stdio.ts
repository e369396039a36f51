import type {McpServer} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import type {Host} from '../../session/host.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {lineTransport, type SlowHost} from './line-transport.ts';
import {allTools, ownServer} from './own-server.ts';
import {openServing} from './serving.ts';
import {warnOfIgnored} from './warn-of-ignored.ts';

declare const ION_VERSION: string;

/**
 * `ion mcp`: serves the protocol on stdin and stdout until stdin ends. Then everything that was started is killed. Returns
 * the exit code. A wrong config is an IonError before the first message.
 */
export async function serveMcp(host: Host, flags: SessionFlags, ended: AbortSignal): Promise<number> {
  const serving = await openServing(host, flags);
  warnOfIgnored(serving.session);
  const tools = allTools(serving);
  await serveHost(() => ownServer(serving, tools, ION_VERSION), host, ended);
  await serving.close();
  return 0;
}

/** Serves the host on stdin and stdout. Resolves when it has gone, or `ended` is aborted. */
export async function serveHost(
  make: () => McpServer,
  host: Host,
  ended: AbortSignal,
  slowHost?: SlowHost,
): Promise<void> {
  const {transport, closed} = lineTransport(process.stdin, process.stdout, slowHost);
  const handle = serveStdio(make, {
    transport,
    onerror: (error) => host.warn?.(`mcp: ${error.message}`),
  });
  await new Promise<void>((resolve) => {
    void closed.then(resolve);
    ended.addEventListener('abort', () => resolve(), {once: true});
  });
  await handle.close().catch(() => undefined);
}
