import {atLeastAsStrict} from './approval-table.ts';
import type {Key, Values} from './keys.ts';
import type {Restriction} from './layer.ts';
import {replaceNetwork, tightenNetwork, uniteNetworks} from './network/join-networks.ts';
import type {KeyPath} from './raw.ts';
import {namesToolSettings} from '../shell/tool-settings.ts';
import type {
  ApprovalMode,
  Exclusion,
  Hook,
  LayerKind,
  Origin,
  Rule,
  SandboxSetting,
  Sourced,
} from './settings.ts';

/**
 * How the layers of a key are joined. One row per key, with one function for trusted layers and one for layers that
 * may only tighten.
 *
 * Layers are folded from the lowest to the highest; tightening layers keep their place in that order. So flags and the
 * `--config` file, which are above the project, still win. An untrusted file never has more effect than the same file trusted. Every row is monotone: with a
 * tightening layer the result never allows more than without it, whatever is above.
 */
export interface Join<T> {
  trusted(high: T, low: T): T;
  /**
   * For a trusted layer that replaces (`--set key=value`), where that differs from `trusted`. Replacing never removes
   * what denies.
   */
  readonly replace?: (high: T, low: T) => T;
  tighten(current: T | undefined, found: T, kind: Restriction['kind']): Tightened<T>;
  /** The only layers that may set the key. Any other layer is skipped, with a warning. */
  readonly only?: {
    readonly layers: readonly LayerKind[];
    passOver(current: T | undefined, found: T): Tightened<T>;
  };
}

export interface Tightened<T> {
  readonly value: T | undefined;
  /** The values that would have loosened something, or might have. */
  readonly refused: readonly Refused[];
}

/** A part of a key's value, by its path below the key. */
export interface Refused {
  readonly path: KeyPath;
  readonly origin: Origin;
}

type List = readonly Sourced<unknown>[];
type Table = Readonly<Record<string, Sourced<unknown>>>;

function highest<T>(high: T): T {
  return high;
}

function eitherIsTrue(high: Sourced<boolean>, low: Sourced<boolean>): Sourced<boolean> {
  return low.value && !high.value ? low : high;
}

function union<T>(high: readonly T[], low: readonly T[]): readonly T[] {
  return [...high, ...low];
}

function unionOfNames<T extends Table>(high: T, low: T): T {
  return {...low, ...high};
}

/** Takes the stricter value. Equal values count as set by the layer, not as a default. */
function stricter<T>(isStricter: (one: T, other: T) => boolean) {
  return (current: Sourced<T> | undefined, found: Sourced<T>): Tightened<Sourced<T>> => {
    if (current === undefined || isStricter(found.value, current.value)) return {value: found, refused: []};
    const same = found.value === current.value;
    if (same && current.origin.layer === 'default') return {value: found, refused: []};
    return {value: current, refused: same ? [] : [{path: [], origin: found.origin}]};
  };
}

function stricterOf<T>(...strictFirst: readonly T[]) {
  return stricter<T>((one, other) => strictFirst.indexOf(one) < strictFirst.indexOf(other));
}

/** `require` is the strictest, then a list, true, false. Two lists unite. */
function requireMore(
  current: Sourced<SandboxSetting> | undefined,
  found: Sourced<SandboxSetting>,
): Tightened<Sourced<SandboxSetting>> {
  const both = [current?.value, found.value].map((value) => (typeof value === 'object' ? value.require : []));
  if (current === undefined || both.every((ids) => ids.length === 0) || current.value === 'require')
    return stricter<SandboxSetting>((one, other) => strictness(one) > strictness(other))(current, found);
  if (found.value === 'require') return {value: found, refused: []};
  const united = {require: [...new Set(both.flat())]};
  if (united.require.length > both[0]!.length)
    return {value: {value: united, origin: found.origin}, refused: []};
  return ignoreValue(current, found);
}

function strictness(value: SandboxSetting): number {
  return value === 'require' ? 3 : typeof value === 'object' ? 2 : Number(value);
}

function all<T>(current: readonly T[] = [], found: readonly T[]): Tightened<readonly T[]> {
  return {value: [...found, ...current], refused: []};
}

function ignoreValue<T>(current: Sourced<T> | undefined, found: Sourced<T>): Tightened<Sourced<T>> {
  const same = JSON.stringify(found.value) === JSON.stringify(current?.value);
  return {value: current, refused: same ? [] : [{path: [], origin: found.origin}]};
}

function ignoreList<T extends List | readonly Hook[]>(current: T | undefined, found: T): Tightened<T> {
  const [first] = found;
  return {value: current, refused: first ? [{path: [], origin: first.origin}] : []};
}

function ignoreTable<T extends Table>(current: T | undefined, found: T): Tightened<T> {
  const refused = Object.entries(found).map(([name, {origin}]) => ({path: [name], origin}));
  return {value: current, refused};
}

/** Keeps deny and ask rules, marked as untrusted. They are evaluated separately, and the stricter outcome applies. */
function refusingRules(current: readonly Rule[] = [], found: readonly Rule[]): Tightened<readonly Rule[]> {
  const kept = found.filter(({effect}) => effect !== 'allow').map((rule) => ({...rule, trusted: false}));
  const refused = found.flatMap(({effect, origin}, index) =>
    effect === 'allow' ? [{path: [index], origin}] : [],
  );
  return {value: [...kept, ...current], refused};
}

/** Keeps the rules that deny, and those that an untrusted project adds. */
function keepRefusals(high: readonly Rule[], low: readonly Rule[]): readonly Rule[] {
  return [...high, ...low.filter(({effect, trusted}) => effect === 'deny' || !trusted)];
}

/** Removing a secret tightens. Removing a setting may loosen whatever the user set it for. */
function onlySecrets(
  current: readonly Exclusion[] = [],
  found: readonly Exclusion[],
): Tightened<readonly Exclusion[]> {
  const kept = found
    .filter(({value}) => !namesToolSettings(value))
    .map((one) => ({...one, trusted: false as const}));
  const refused = found.flatMap(({value, origin}, index) =>
    namesToolSettings(value) ? [{path: [index], origin}] : [],
  );
  return {value: [...kept, ...current], refused};
}

/**
 * Hooks of a layer that was never trusted would run its programs, so they are refused. Hooks of a layer that was
 * trusted keep running: otherwise adding or deleting a config file beside it would switch them off.
 */
function guardingHooks(
  current: readonly Hook[] = [],
  found: readonly Hook[],
  kind: Restriction['kind'],
): Tightened<readonly Hook[]> {
  if (kind === undefined) return ignoreList(current, found);
  if (kind === 'bound') {
    const bound = found.map((hook) => ({...hook, sandbox: true, onlyForbids: true}));
    return {value: [...bound, ...current], refused: []};
  }
  const kept = found
    .filter(({event}) => event === 'PreToolUse')
    .map((hook) => ({...hook, onlyForbids: true}));
  const refused = found.flatMap(({event, origin}, index) =>
    event === 'PreToolUse' ? [] : [{path: [index], origin}],
  );
  return {value: [...kept, ...current], refused};
}

/** Frames only restrict folders, and the active frame chooses which. */
function guardingFrame<T>(
  current: Sourced<T> | undefined,
  found: Sourced<T>,
  kind: Restriction['kind'],
): Tightened<Sourced<T>> {
  return kind === 'lapsed' ? {value: found, refused: []} : ignoreValue(current, found);
}

function guardingFrames<T extends Table>(
  current: T | undefined,
  found: T,
  kind: Restriction['kind'],
): Tightened<T> {
  return kind === 'lapsed' ? {value: {...current, ...found}, refused: []} : ignoreTable(current, found);
}

const unionForAll = {trusted: union, tighten: all};
const ignoredList = {trusted: union, replace: highest, tighten: ignoreList};
const ignoredValue = {trusted: highest, tighten: ignoreValue};
const ignoredTable = {trusted: unionOfNames, tighten: ignoreTable};
const minimum = {trusted: highest, tighten: stricter<number>((one, other) => one < other)};

// prettier-ignore
export const joins: {readonly [K in Key]: Join<Values[K]>} = {
  'permissions.mode':                  {trusted: highest, tighten: stricterOf('read', 'write')},
  'permissions.read':                  {trusted: highest, tighten: stricterOf('table', 'kernel')},
  'permissions.sandbox':               {trusted: highest, tighten: requireMore},
  'permissions.locked':                {trusted: eitherIsTrue, tighten: stricterOf(true, false), only: {layers: ['user', 'machine'], passOver: ignoreValue}},
  'permissions.trusted_environment':   {...ignoredList, only: {layers: ['user', 'machine'], passOver: ignoreList}},
  'permissions.deny_commands':         unionForAll,
  'permissions.approval':              {trusted: highest, tighten: stricter(strictlyStricter)},
  'permissions.denied_paths':          unionForAll,
  'permissions.trusted_paths':         ignoredList,
  'permissions.allowed_tools':         ignoredList,
  'permissions.auto_approve_patterns': ignoredList,
  'permissions.frame':                 {trusted: highest, tighten: guardingFrame},
  'permissions.rules':                 {trusted: union, replace: keepRefusals, tighten: refusingRules},
  'sandbox.read_roots':                ignoredList,
  'sandbox.write_roots':               ignoredList,
  'sandbox.protect':                   unionForAll,
  'sandbox.unprotect':                 ignoredList,
  'sandbox.workspace':                 {trusted: highest, tighten: stricterOf('folder', 'repository')},
  'sandbox.processes':                 {trusted: highest, tighten: stricterOf('own', 'shared')},
  'sandbox.tmp':                       ignoredValue,
  'sandbox.network':                   {trusted: uniteNetworks, replace: replaceNetwork, tighten: tightenNetwork},
  'sandbox.unix_sockets':              ignoredList,
  'sandbox.toolchains':                ignoredValue,
  'sandbox.report':                    {trusted: highest, tighten: stricterOf('all', 'denials', 'minimal')},
  'sandbox.limits.timeout':            minimum,
  'sandbox.limits.memory':             minimum,
  'sandbox.limits.processes':          minimum,
  'sandbox.limits.open_files':         minimum,
  'sandbox.limits.file_size':          minimum,
  'sandbox.limits.cpu':                minimum,
  'sandbox.limits.disk':               minimum,
  'environment.exclude':               {trusted: union, tighten: onlySecrets},
  'environment.keep':                  ignoredList,
  'environment.set':                   ignoredTable,
  'audit.mode':                        {trusted: highest, tighten: stricterOf('required', 'best-effort')},
  hooks:                               {trusted: union, replace: highest, tighten: guardingHooks},
  frames:                              {trusted: unionOfNames, tighten: guardingFrames},
};

function strictlyStricter(one: ApprovalMode, other: ApprovalMode): boolean {
  return atLeastAsStrict(one, other) && !atLeastAsStrict(other, one);
}
