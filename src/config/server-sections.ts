import type {Key, LayerValues} from './keys.ts';
import type {Layer, LayerContent, Restriction, ServerSection} from './layer.ts';
import {fieldsOf, shapeOf} from './parsers.ts';
import {originOf, pathOf, refusal, unknownKey, type Raw, type Shape} from './raw.ts';
import {flag} from './scalars.ts';
import {schema} from './schema.ts';
import {isServerName, normalServer} from './server-name.ts';

/**
 * The tables `[mcp.<name>]`: settings for one MCP server. Each names keys of the config without their table: `network` is
 * `sandbox.network`, `limits.memory` is `sandbox.limits.memory`, `environment.keep` is the key of that name.
 */

/** Keys of other tables that a section has. */
const ofPermissions: readonly string[] = ['mode', 'read', 'deny_commands', 'denied_paths'];

/** The key that a name in a section means. */
function keyOf(name: string): string {
  if (ofPermissions.includes(name)) return `permissions.${name}`;
  return name.startsWith('environment.') ? name : `sandbox.${name}`;
}

const known: readonly string[] = [
  ...ofPermissions,
  ...Object.keys(schema).flatMap((key) => (key.startsWith('sandbox.') ? [key.slice('sandbox.'.length)] : [])),
  ...Object.keys(schema).filter((key) => key.startsWith('environment.')),
  'pass_unknown',
];

/** The key of the config that `mcp.<name>.<key>` means for one server. Undefined for all other keys. */
export function keyInSection(path: string): string | undefined {
  const name = /^mcp\.[\w-]{1,64}\.(.+)$/.exec(path)?.[1];
  if (name === undefined || !known.some((one) => name === one || name.startsWith(`${one}.`)))
    return undefined;
  return keyOf(name);
}

/** Reads the table `mcp`. Throws an IonError for an unknown key, as everywhere. */
export function readSections(raw: Raw): Readonly<Record<string, ServerSection>> {
  const sections = fieldsOf(raw).map((section): [string, ServerSection] => {
    if (!isServerName(section.part))
      throw refusal({...section, value: section.part}, 'must be a name of letters, digits, ".", "_" and "-"');
    return [normalServer(section.part), readSection(section)];
  });
  return Object.fromEntries(sections);
}

function readSection(section: Raw): ServerSection {
  const values: Partial<Record<Key, unknown>> = {};
  const document: Record<string, Record<string, unknown>> = {};
  let passUnknown: ServerSection['passUnknown'];
  const read = (table: Raw, prefix: string): void => {
    for (const raw of fieldsOf(table)) {
      const name = `${prefix}${raw.part}`;
      const key = keyOf(name);
      if (name === 'pass_unknown') passUnknown = {value: flag(raw), origin: originOf(raw)};
      else if (Object.hasOwn(schema, key)) {
        values[key as Key] = schema[key as Key](raw);
        place(document, key.split('.'), raw.value);
      } else if (name === 'limits' || name === 'environment') read(raw, `${name}.`);
      else throw unknownKey(raw, known);
    }
  };
  read(section, '');
  return {
    values: values as LayerValues,
    document,
    name: String(pathOf(section).at(-1)),
    ...(passUnknown ? {passUnknown} : {}),
  };
}

/** The shape of one section, for editors. */
export function sectionShape(): Shape {
  const table = (names: readonly string[], prefix: string): Shape => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      names
        .filter((name) => name.startsWith(prefix))
        .map((name) => [name.slice(prefix.length), shapeOf(schema[keyOf(name) as Key])]),
    ),
  });
  const own = known.filter((name) => !name.includes('.') && name !== 'pass_unknown');
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...table(own, '').properties,
      limits: table(known, 'limits.'),
      environment: table(known, 'environment.'),
      pass_unknown: {type: 'boolean'},
    },
  };
}

function place(document: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) document[first] = value;
  else place((document[first] ??= {}) as Record<string, unknown>, rest, value);
}

/** What the user can do: the entry is then the user's own. */
export const copyOfEntry =
  'copy its entry to a file outside the project, such as ~/.ion/servers.json, and give that to --file';

/** A project could otherwise give its server the name of another one, and with it what the user grants to that one. */
const ofProject: Restriction = {
  why: 'a project that is not trusted chose the command of this server',
  help: copyOfEntry,
};

/**
 * The layers for a server. The section for the server in each layer ranks above that layer, with the same right to loosen. If
 * `isOfProject`, sections of files only tighten.
 */
export function withSections(stack: readonly Layer[], server: string, isOfProject = false): Layer[] {
  return stack.flatMap((layer) => {
    const section = sectionOf(layer, server);
    if (!section) return [layer];
    const {values, document, name} = section;
    const bound = isOfProject && layer.kind !== 'set' ? ofProject : undefined;
    const onlyTightens = layer.onlyTightens ?? bound;
    return [{...layer, values, document, section: name, onlyTightens}, layer];
  });
}

export function sectionOf(
  {servers}: Pick<LayerContent, 'servers'>,
  server: string,
): ServerSection | undefined {
  const name = normalServer(server);
  return servers && Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** Whether unknown methods reach the server. The highest layer that sets this and may loosen decides. */
export function passesUnknown(stack: readonly Layer[], server: string): boolean {
  const said = stack
    .filter(({onlyTightens}) => onlyTightens === undefined)
    .map((layer) => sectionOf(layer, server)?.passUnknown)
    .find((one) => one !== undefined);
  return said?.value ?? false;
}
