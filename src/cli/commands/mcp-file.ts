import {readFileSync} from 'node:fs';
import {isServerName, normalServer} from '../../config/server-name.ts';
import {IonError, quoted} from '../../errors.ts';
import type {ServerSpec} from '../../mcp/gateway/server-spec.ts';
import {isTable} from '../../mcp/wire/message.ts';
import type {Json} from '../../mcp/wire/strict-json.ts';

interface ServerEntry {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly env?: unknown;
}

type Servers = Readonly<Record<string, ServerEntry>>;

/**
 * The servers with these names in a file of the form of `.mcp.json`. Without names: all that have a command. Those over HTTP
 * are left out, with a warning.
 */
export function serversIn(
  file: string,
  names: readonly string[],
  warn: (text: string) => void,
): readonly ServerSpec[] {
  const servers = readServers(file);
  const missing = names.find((name) => !Object.hasOwn(servers, name));
  if (missing !== undefined)
    throw new IonError(`${quoted(file)} has no server ${quoted(missing)}`, {
      help: `ion mcp wrap --file ${file} <name>; there are: ${Object.keys(servers).join(', ')}`,
    });
  const chosen = names.length > 0 ? names : withCommand(servers, file, warn);
  if (chosen.length === 0) throw new IonError(`${quoted(file)} has no server with a command`);
  const specs = chosen.map((name) => specOf(name, servers[name]!, file));
  refuseEqualNames(specs, file);
  return specs;
}

function withCommand(servers: Servers, file: string, warn: (text: string) => void): readonly string[] {
  return Object.keys(servers).filter((name) => {
    if (servers[name]!.command !== undefined) return true;
    warn(`the server ${quoted(name)} in ${quoted(file)} is left out: it has no command for stdio`);
    return false;
  });
}

/** Rules, sections and pins know a server by its normal name. */
function refuseEqualNames(specs: readonly ServerSpec[], file: string): void {
  const seen = new Map<string, string>();
  for (const {server} of specs) {
    const normal = normalServer(server);
    const other = seen.get(normal);
    if (other !== undefined)
      throw new IonError(`${quoted(file)}: ${quoted(other)} and ${quoted(server)} are the same name`, {
        help: 'case, "-", "_" and "." do not matter in names of servers',
      });
    seen.set(normal, server);
  }
}

function specOf(server: string, {command, args = [], env = {}}: ServerEntry, file: string): ServerSpec {
  const which = `the server ${quoted(server)} in ${quoted(file)}`;
  if (!isServerName(server))
    throw new IonError(`${which}: this is not a name of a server`, {
      help: 'a name has letters, digits, ".", "_" and "-"',
    });
  if (!isText(command) || !Array.isArray(args) || !args.every(isText))
    throw new IonError(`${which} has no command for stdio`, {
      help: 'only servers with "command" and "args" can be wrapped',
    });
  if (typeof env !== 'object' || env === null || !Object.values(env).every(isText))
    throw new IonError(`"env" of ${which} must be a table of texts`);
  return {server, words: [command, ...args], environment: env as Record<string, string>, file};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function readServers(file: string): Servers {
  let parsed: Json;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8')) as Json;
  } catch (cause) {
    throw new IonError(`cannot read ${quoted(file)}: ${(cause as Error).message}`, {cause});
  }
  const mcpServers = isTable(parsed) ? parsed['mcpServers'] : undefined;
  if (!isTable(mcpServers) || !Object.values(mcpServers).every(isTable))
    throw new IonError(`${quoted(file)} has no "mcpServers"`, {help: 'it must have the form of .mcp.json'});
  return mcpServers as Servers;
}
