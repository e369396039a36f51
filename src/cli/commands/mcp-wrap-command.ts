import path from 'node:path';
import {readFileSync} from 'node:fs';
import {IonError, quoted} from '../../errors.ts';
import type {Wrapped} from '../../mcp/gateway/serve-wrapped.ts';
import {quoteArgv} from '../../session/command-text.ts';
import type {Host} from '../../session/session.ts';
import {untilSignal, type McpFlags} from './mcp-command.ts';
import {sessionFlags} from './run-command.ts';

export interface WrapFlags extends McpFlags {
  readonly name?: string;
  readonly file?: string;
}

/** `ion mcp wrap`: one server, given by its command, or by its name in a file of the form of `.mcp.json`. */
export async function mcpWrapCommand(
  words: readonly string[],
  options: WrapFlags,
  host: Host,
): Promise<number> {
  const {name, file, ...flags} = options;
  const wrapped = file === undefined ? await ofCommand(words, name) : await ofFile(file, words, name);
  const {serveWrapped} = await import('../../mcp/gateway/serve-wrapped.ts');
  const session = {for: 'library', ...sessionFlags({sandbox: true, ...flags}), audience: 'program'} as const;
  return untilSignal((ended) => serveWrapped(host, session, wrapped, ended));
}

async function ofCommand(words: readonly string[], name: string | undefined): Promise<Wrapped> {
  if (words.length === 0)
    throw new IonError('no server to wrap', {help: 'usage: ion mcp wrap [--name NAME] -- <server command>'});
  return {server: serverName(name ?? nameOf(words)), command: await quoteArgv(words), environment: {}};
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

function serverName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw new IonError(`${quoted(name)} is not a name of a server`, {
    help: 'give it one with --name: letters, digits, ".", "_" and "-"',
  });
}

interface ServerEntry {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly env?: unknown;
  readonly url?: unknown;
}

async function ofFile(file: string, words: readonly string[], given: string | undefined): Promise<Wrapped> {
  const servers = serversIn(file);
  const names = Object.keys(servers);
  const name = given ?? words[0] ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !Object.hasOwn(servers, name))
    throw new IonError(
      name === undefined
        ? `${quoted(file)} has several servers`
        : `${quoted(file)} has no server ${quoted(name)}`,
      {help: `ion mcp wrap --file ${file} <name>; there are: ${names.join(', ')}`},
    );
  const {command, args = [], env = {}} = servers[name]!;
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(command) || !Array.isArray(args) || !args.every(isText))
    throw new IonError(`the server ${quoted(name)} in ${quoted(file)} has no command for stdio`, {
      help: 'only servers with "command" and "args" can be wrapped',
    });
  if (typeof env !== 'object' || env === null || !Object.values(env).every(isText))
    throw new IonError(`"env" of the server ${quoted(name)} in ${quoted(file)} must be a table of texts`);
  return {
    server: serverName(name),
    command: await quoteArgv([command, ...args]),
    environment: env as Record<string, string>,
  };
}

function serversIn(file: string): Readonly<Record<string, ServerEntry>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new IonError(`cannot read ${quoted(file)}: ${(cause as Error).message}`, {cause});
  }
  const {mcpServers} = (parsed ?? {}) as {mcpServers?: Readonly<Record<string, ServerEntry>>};
  if (typeof mcpServers !== 'object' || mcpServers === null)
    throw new IonError(`${quoted(file)} has no "mcpServers"`, {help: 'it must have the form of .mcp.json'});
  return mcpServers;
}
