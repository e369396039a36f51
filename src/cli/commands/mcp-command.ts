import type {Host} from '../../session/session.ts';
import type {RunFlags} from '../run-flags.ts';
import {sessionFlags} from './run-command.ts';

export type McpFlags = Pick<RunFlags, 'read' | 'timeout' | 'config' | 'set'>;

/** `ion mcp`: serves until the host ends the connection, or a signal ends ion. */
export async function mcpCommand(options: McpFlags, host: Host): Promise<number> {
  const {serveMcp} = await import('../../mcp/server/serve-stdio.ts');
  const flags = {for: 'library', ...sessionFlags({sandbox: true, ...options}), audience: 'program'} as const;
  return untilSignal((ended) => serveMcp(host, flags, ended));
}

/** Runs `serve`. The first SIGTERM, SIGINT or SIGHUP ends it in order: everything that it started is killed first. */
export async function untilSignal(serve: (ended: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  let code: number | undefined;
  const numbers = {SIGTERM: 15, SIGINT: 2, SIGHUP: 1} as const;
  for (const [name, number] of Object.entries(numbers))
    process.once(name, () => {
      code ??= 128 + number;
      controller.abort();
    });
  const ended = await serve(controller.signal);
  return code ?? ended;
}
