import {completeNetwork} from '../network/join-networks.ts';
import type {SourcedNetwork} from '../network/network-table.ts';
import {eachLimit, limitTable} from '../limits.ts';
import {joins, type Tightened} from '../join.ts';
import type {Key, LayerValues, ResolvedValues, Values} from '../keys.ts';
import type {Layer, Restriction} from '../layer.ts';
import type {KeyPath} from '../raw.ts';
import {nameOf} from '../raw.ts';
import {renderToml} from './render.ts';
import type {Ignored, Limits, Settings} from '../settings.ts';

export interface Merged {
  readonly values: ResolvedValues;
  readonly ignored: readonly Ignored[];
}

/**
 * Joins the layers key by key, by the join table. `layers` has the highest first and the defaults last. Pure: the files are
 * already parsed, and it is decided which layers may loosen.
 */
export function merge(layers: readonly Layer[]): Merged {
  const lowestFirst = layers.toReversed();
  const merged = (Object.keys(joins) as Key[]).map((key) => mergeKey(key, lowestFirst));
  const values = Object.fromEntries(
    merged.flatMap(({key, value}) => (value === undefined ? [] : [[key, value]])),
  );
  // The defaults set every key except limits. The compiler cannot see that from a loop over keys.
  return {values: values as unknown as ResolvedValues, ignored: merged.flatMap(({ignored}) => ignored)};
}

function mergeKey<K extends Key>(key: K, lowestFirst: readonly Layer[]) {
  const join = joins[key];
  const ignored: Ignored[] = [];
  let value: Values[K] | undefined;
  for (const layer of lowestFirst) {
    const found = (layer.values as {readonly [P in Key]?: Values[P]})[key];
    if (found === undefined) continue;
    const {only} = join;
    const isForeign = only !== undefined && layer.kind !== 'default' && !only.layers.includes(layer.kind);
    if (!isForeign && layer.onlyTightens === undefined) {
      const replace = layer.replaces ? join.replace : undefined;
      value = value === undefined ? found : replace ? replace(found, value) : join.trusted(found, value);
      continue;
    }
    const {why, help, kind} = isForeign ? foreign : layer.onlyTightens!;
    const tightened: Tightened<Values[K]> = isForeign
      ? only.passOver(value, found)
      : join.tighten(value, found, kind);
    value = tightened.value;
    for (const {path, origin} of tightened.refused) {
      const whole: KeyPath = [...key.split('.'), ...path];
      const written = valueAt(layer.document, whole);
      ignored.push({
        key: nameOf(layer.section === undefined ? whole : inSection(layer.section, whole)),
        value: renderToml(written),
        written,
        origin,
        why,
        help,
      });
    }
  }
  return {key, value, ignored};
}

const foreign: Restriction = {
  why: 'only ~/.ion/config.toml and /etc/ion/config.toml may set it',
  help: 'set it in ~/.ion/config.toml',
};

/** The path as it is written in the section of an MCP server. */
function inSection(server: string, path: KeyPath): KeyPath {
  return ['mcp', server, ...(path[0] === 'environment' ? path : path.slice(1))];
}

function valueAt(document: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string | number, unknown>)[part], document);
}

/** The resolved values in the form that the rest of ion uses. */
export function settingsOf(values: ResolvedValues): Settings {
  return {
    mode: values['permissions.mode'],
    read: values['permissions.read'],
    sandbox: values['permissions.sandbox'],
    denyCommands: values['permissions.deny_commands'],
    approval: values['permissions.approval'],
    deniedPaths: values['permissions.denied_paths'],
    trustedPaths: values['permissions.trusted_paths'],
    allowedTools: values['permissions.allowed_tools'],
    autoApprovePatterns: values['permissions.auto_approve_patterns'],
    frame: values['permissions.frame'],
    rules: values['permissions.rules'],
    readRoots: values['sandbox.read_roots'],
    writeRoots: values['sandbox.write_roots'],
    protect: values['sandbox.protect'],
    unprotect: values['sandbox.unprotect'],
    workspace: values['sandbox.workspace'],
    processes: values['sandbox.processes'],
    tmp: values['sandbox.tmp'],
    network: networkOf(values['sandbox.network']),
    unixSockets: values['sandbox.unix_sockets'],
    toolchains: values['sandbox.toolchains'],
    report: values['sandbox.report'],
    limits: limitsOf(values),
    environment: {
      exclude: values['environment.exclude'],
      keep: values['environment.keep'],
      set: values['environment.set'],
    },
    auditMode: values['audit.mode'],
    hooks: values.hooks,
    frames: values.frames,
  };
}

function networkOf({value, origin}: SourcedNetwork): Settings['network'] {
  return {value: completeNetwork(value), origin};
}

function limitsOf(values: LayerValues): Limits {
  return eachLimit((limit) => values[`sandbox.limits.${limitTable[limit].name}`]);
}
