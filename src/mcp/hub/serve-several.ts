import type {McpServer} from '@modelcontextprotocol/server';
import {quoted} from '../../errors.ts';
import type {ServerSpec} from '../gateway/server-spec.ts';
import {openWrapped} from '../gateway/wrapped-server.ts';
import type {Host} from '../../session/host.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openApprovals} from '../server/approvals.ts';
import {mcpServer} from '../server/mcp-server.ts';
import {serveHost} from '../server/serve-stdio.ts';
import {isTable, type Params} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {openBackend, type Backend, type HubHost} from './backend.ts';
import {hubTools} from './hub-tools.ts';

declare const ION_VERSION: string;

const instructions =
  'Tools of several servers, each in a sandbox of its own. "tool_search" finds and describes them, "call_tool" calls them. A refusal names what was refused and why. Only the user can change the sandbox: report the id of the denial to the user.';

/** `ion mcp wrap` of several servers, behind two tools. Returns the exit code. Throws if none of them can be started. */
export async function serveSeveral(
  host: Host,
  flags: SessionFlags,
  specs: readonly ServerSpec[],
  ended: AbortSignal,
): Promise<number> {
  const approvals = openApprovals();
  const warn = (text: string): void => host.warn?.(`mcp: ${text}`);
  let connection: McpServer | undefined;
  const hubHost = hostOf(() => connection);
  const wrapped = [];
  const backends: Backend[] = [];
  try {
    const errors: unknown[] = [];
    for (const spec of specs) {
      try {
        const one = await openWrapped(host, flags, spec, approvals);
        wrapped.push(one);
        backends.push(await openBackend({wrapped: one, host: hubHost, version: ION_VERSION, warn}));
      } catch (error) {
        errors.push(error);
        warn(`the server ${quoted(spec.server)} is left out: ${(error as Error).message}`);
      }
    }
    if (backends.length === 0) throw errors[0];
    const tools = hubTools(backends, () => approvals.asker.isAvailable?.() ?? false);
    const make = (): McpServer =>
      (connection = mcpServer({title: 'ion gateway', version: ION_VERSION, instructions, tools, approvals}));
    await serveHost(make, host, ended, {
      onSlow: () => backends.forEach((one) => one.hold()),
      onCaughtUp: () => backends.forEach((one) => one.release()),
    });
    approvals.asker.cancel();
    return 0;
  } finally {
    await Promise.all(backends.map((one) => one.close()));
    for (const one of wrapped) one.close();
  }
}

/** A host of 2026-07-28 takes no requests: for it no capability is shown. */
function hostOf(connection: () => McpServer | undefined): HubHost {
  return {
    capabilities() {
      const known = connection()?.server.getClientCapabilities() as Params | undefined;
      const {sampling, roots, elicitation} = known ?? {};
      const all = {sampling, roots, elicitation};
      return Object.fromEntries(Object.entries(all).filter(([, value]) => isTable(value))) as Params;
    },
    async request(method, params) {
      const {server} = connection()!;
      return (await server.request({method, params} as never, anyResult as never)) as Json;
    },
  };
}

/** The answer of a host to a server's request goes to that server. */
const anyResult = {
  '~standard': {version: 1, vendor: 'ion', validate: (value: unknown) => ({value})},
} as const;
