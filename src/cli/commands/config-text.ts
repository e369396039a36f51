import type {Key, ResolvedValues} from '../../config/keys.ts';
import {visible} from '../../errors.ts';
import {completeNetwork} from '../../config/network/join-networks.ts';
import {isTable, type NetworkTable} from '../../config/network/network-table.ts';
import {writtenEntry} from '../../config/network/written-entry.ts';
import {shownOrigin} from '../../config/read/origin.ts';
import {renderToml, tomlKey, tomlString} from '../../config/read/render.ts';
import type {Hook, ListedRoot, Origin, Rule, Sourced} from '../../config/settings.ts';

/** Which values of the resolved config are shown. */
export interface Shown {
  readonly key: (key: Key) => boolean;
  readonly origin: (origin: Origin) => boolean;
}

const sections = ['permissions', 'sandbox', 'sandbox.limits', 'environment', 'audit'];

/** The values as TOML, with the origins as comments. The same text works as a --config file. */
export function renderValues(values: ResolvedValues, shown: Shown): string[] {
  const body = sections.flatMap((section) => {
    const lines = keysOf(section, values, shown);
    return lines.length === 0 ? [] : ['', `[${section}]`, ...lines];
  });
  const rules = shown.key('permissions.rules') ? values['permissions.rules'] : [];
  const hooks = shown.key('hooks') ? values.hooks : [];
  return [
    ...body,
    ...(shown.key('sandbox.network') ? networkLines(values['sandbox.network'].value, shown) : []),
    ...(shown.key('environment.set') ? tableLines('environment.set', values['environment.set']) : []),
    ...(shown.key('frames') ? tableLines('frames', values.frames) : []),
    ...rules.flatMap((rule) => recordLines('permissions.rules', ruleFields(rule), rule.origin)),
    ...hooks.flatMap((hook) => recordLines('hooks', hookFields(hook), hook.origin)),
  ];
}

function keysOf(section: string, values: ResolvedValues, shown: Shown): string[] {
  return (Object.keys(values) as Key[]).flatMap((key) => {
    const name = key.slice(section.length + 1);
    const value: unknown = values[key];
    if (!key.startsWith(`${section}.`) || name.includes('.') || name === 'rules' || name === 'set') return [];
    if (!shown.key(key)) return [];
    if (Array.isArray(value)) return listLines(name, value as readonly ListedRoot[], shown);
    const {value: single, origin} = value as Sourced<unknown>;
    if (key === 'sandbox.network' && typeof single === 'object') return [];
    if (!shown.origin(origin)) return [];
    return [`${name} = ${renderToml(withUnit(key, single), Infinity)}${comment(origin)}`];
  });
}

function networkLines(network: ResolvedValues['sandbox.network']['value'], shown: Shown): string[] {
  if (!isTable(network)) return [];
  const {allow, deny, loopback} = completeNetwork(network) as NetworkTable;
  const lines = (
    name: string,
    list: readonly {value: unknown; origin: Origin; from?: string | undefined}[],
  ): string[] => {
    const entries = list.filter(({origin}) => shown.origin(origin));
    if (entries.length === 0) return [];
    const each = entries.map(
      ({value, origin, from}) =>
        `  ${renderToml(value, Infinity)},${comment(origin)}${from === undefined ? '' : `, ${visible(from)}`}`,
    );
    return [`${name} = [`, ...each, ']'];
  };
  return [
    '',
    '[sandbox.network]',
    ...lines(
      'allow',
      allow.map((entry) => ({value: writtenEntry(entry), origin: entry.origin, from: entry.from})),
    ),
    ...lines('deny', deny),
    ...(loopback ? ['loopback = true'] : []),
  ];
}

/** The resolved timeout is in milliseconds, but a bare number in a config means seconds. */
function withUnit(key: Key, value: unknown): unknown {
  return key === 'sandbox.limits.timeout' ? `${String(value)}ms` : value;
}

/** Prints one line for each entry. Only entries of root lists have `missing`. */
function listLines(name: string, list: readonly ListedRoot[], shown: Shown): string[] {
  const lines = list
    .filter(({origin}) => shown.origin(origin))
    .map((entry) => `  ${renderToml(written(entry), Infinity)},${comment(entry.origin)}`);
  const hidden = list.length - lines.length;
  if (lines.length === 0) return hidden > 0 || !shown.origin({layer: 'default'}) ? [] : [`${name} = []`];
  return [`${name} = [`, ...lines, ...(hidden === 0 ? [] : [`  # and ${hidden} by default`]), ']'];
}

function written({value, missing}: ListedRoot): unknown {
  if (missing === undefined) return value;
  return {path: value, [missing === 'create' ? 'create' : 'optional']: true};
}

function tableLines(name: string, table: Readonly<Record<string, Sourced<string>>>): string[] {
  const lines = Object.entries(table).map(
    ([field, {value, origin}]) => `${tomlKey(field)} = ${tomlString(value)}${comment(origin)}`,
  );
  return lines.length === 0 ? [] : ['', `[${name}]`, ...lines];
}

function recordLines(name: string, fields: Readonly<Record<string, unknown>>, origin: Origin): string[] {
  const lines = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field} = ${renderToml(value, Infinity)}`],
  );
  return ['', `[[${name}]]${comment(origin)}`, ...lines];
}

function ruleFields({effect, scope, match, tool, reason}: Rule) {
  return {effect, scope, match, tool, reason};
}

function hookFields({event, match, command, timeoutMs, sandbox}: Hook) {
  return {event, match, command, timeout: timeoutMs === undefined ? undefined : `${timeoutMs}ms`, sandbox};
}

function comment(origin: Origin): string {
  return `  # ${shownOrigin(origin)}`;
}
