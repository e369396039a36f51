import type {Host} from '../../session/host.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openApprovals} from '../server/approvals.ts';
import {runGateway} from './gateway.ts';
import type {ServerSpec} from './server-spec.ts';
import {openWrapped} from './wrapped-server.ts';

/** `ion mcp wrap` of one server: it is in the sandbox, between the host's streams. Returns the exit code. */
export async function serveWrapped(
  host: Host,
  flags: SessionFlags,
  spec: ServerSpec,
  ended: AbortSignal,
): Promise<number> {
  const approvals = openApprovals();
  const wrapped = await openWrapped(host, flags, spec, approvals);
  try {
    return await runGateway({
      ...wrapped,
      approvals,
      client: {input: process.stdin, output: process.stdout},
      warn: (text) => host.warn?.(`mcp: ${text}`),
      ended,
    });
  } finally {
    wrapped.close();
  }
}
