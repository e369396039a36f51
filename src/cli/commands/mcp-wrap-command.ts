import path from 'node:path';
import {isServerName} from '../../config/server-name.ts';
import {IonError, quoted} from '../../errors.ts';
import type {ServerSpec} from '../../mcp/gateway/server-spec.ts';
import type {Host} from '../../session/session.ts';
import {untilSignal, type McpFlags} from './mcp-command.ts';
import {serversIn} from './mcp-file.ts';
import {sessionFlags} from './run-command.ts';

export interface WrapFlags extends McpFlags {
  readonly name?: string;
  readonly file?: string;
}

/** `ion mcp wrap`: one server, given by its command or by its name in a file of the form of `.mcp.json`, or several of such a file. */
export async function mcpWrapCommand(
  words: readonly string[],
  options: WrapFlags,
  host: Host,
): Promise<number> {
  const {name, file, ...flags} = options;
  const specs =
    file === undefined
      ? [ofCommand(words, name)]
      : serversIn(file, name === undefined ? words : [name], (text) => host.warn?.(`mcp: ${text}`));
  const session = {for: 'library', ...sessionFlags({sandbox: true, ...flags}), audience: 'program'} as const;
  const [only, ...others] = specs as readonly [ServerSpec, ...ServerSpec[]];
  if (others.length === 0) {
    const {serveWrapped} = await import('../../mcp/gateway/serve-wrapped.ts');
    return untilSignal((ended) => serveWrapped(host, session, only, ended));
  }
  const {serveSeveral} = await import('../../mcp/hub/serve-several.ts');
  return untilSignal((ended) => serveSeveral(host, session, specs, ended));
}

function ofCommand(words: readonly string[], given: string | undefined): ServerSpec {
  if (words.length === 0)
    throw new IonError('no server to wrap', {help: 'usage: ion mcp wrap [--name NAME] -- <server command>'});
  const server = given ?? nameOf(words);
  if (!isServerName(server))
    throw new IonError(`${quoted(server)} is not a name of a server`, {
      help: 'give it one with --name: letters, digits, ".", "_" and "-"',
    });
  return {server, words, environment: {}};
}

const launchers: ReadonlySet<string> = new Set([
  'npx',
  'node',
  'uvx',
  'uv',
  'python',
  'python3',
  'bun',
  'bunx',
  'deno',
]);

/** `npx -y @org/server-git@1.2 /repo` is `server-git`, `node build/index.js` is `index`. */
function nameOf(words: readonly string[]): string {
  const names = words.map((word) => path.basename(word));
  const which = launchers.has(names[0]!) ? words.slice(1).find((word) => !word.startsWith('-')) : undefined;
  return path
    .basename(which ?? names[0]!)
    .replace(/(?<=.)@.*$/, '')
    .replace(/\.[cm]?[jt]s$|\.py$/, '');
}
