import {atLeastAsStrict} from '../policy/modes.ts';
import type {Key, Values} from './keys.ts';
import type {KeyPath} from './raw.ts';
import type {ApprovalMode, Hook, Origin, Rule, SandboxSetting, Sourced} from './settings.ts';

/**
 * How the layers of a key join: one row per key, for trusted layers and for those that may only tighten.
 *
 * Layers are folded from the lowest up, and a layer that may only tighten takes its place among them. So the flags
 * and the `--config` file, which are above the project, still have the last word: the same file never has more to
 * say untrusted than trusted. Every row is monotone: what comes out with a tightening layer never allows more than
 * what comes out without it, whatever lies above.
 */
export interface Join<T> {
  trusted(high: T, low: T): T;
  tighten(current: T | undefined, found: T): Tightened<T>;
}

export interface Tightened<T> {
  readonly value: T | undefined;
  /** What would have loosened something, or might have. */
  readonly refused: readonly Refused[];
}

/** A part of a key's value, by its place below the key. */
export interface Refused {
  readonly path: KeyPath;
  readonly origin: Origin;
}

type List = readonly Sourced<unknown>[];
type Table = Readonly<Record<string, Sourced<unknown>>>;

function highest<T>(high: T): T {
  return high;
}

function union<T>(high: readonly T[], low: readonly T[]): readonly T[] {
  return [...high, ...low];
}

function unionOfNames<T extends Table>(high: T, low: T): T {
  return {...low, ...high};
}

/** The stricter value; equal ones count as written by the layer rather than as a default. */
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

/** Deny and ask rules stay, marked: they are evaluated separately, and the stricter outcome is taken. */
function refusingRules(current: readonly Rule[] = [], found: readonly Rule[]): Tightened<readonly Rule[]> {
  const kept = found.filter(({effect}) => effect !== 'allow').map((rule) => ({...rule, trusted: false}));
  const refused = found.flatMap(({effect, origin}, index) =>
    effect === 'allow' ? [{path: [index], origin}] : [],
  );
  return {value: [...kept, ...current], refused};
}

const unionForAll = {trusted: union, tighten: all};
const ignoredList = {trusted: union, tighten: ignoreList};
const ignoredValue = {trusted: highest, tighten: ignoreValue};
const ignoredTable = {trusted: unionOfNames, tighten: ignoreTable};
const minimum = {trusted: highest, tighten: stricter<number>((one, other) => one < other)};

// prettier-ignore
export const joins: {readonly [K in Key]: Join<Values[K]>} = {
  'permissions.mode':                  {trusted: highest, tighten: stricterOf('read', 'write')},
  'permissions.sandbox':               {trusted: highest, tighten: stricterOf<SandboxSetting>('require', true, false)},
  'permissions.deny_commands':         unionForAll,
  'permissions.approval':              {trusted: highest, tighten: stricter(strictlyStricter)},
  'permissions.denied_paths':          unionForAll,
  'permissions.trusted_paths':         ignoredList,
  'permissions.allowed_tools':         ignoredList,
  'permissions.auto_approve_patterns': ignoredList,
  'permissions.frame':                 ignoredValue,
  'permissions.rules':                 {trusted: union, tighten: refusingRules},
  'sandbox.read_roots':                ignoredList,
  'sandbox.write_roots':               ignoredList,
  'sandbox.protect':                   unionForAll,
  'sandbox.unprotect':                 ignoredList,
  'sandbox.tmp':                       ignoredValue,
  'sandbox.network':                   {trusted: highest, tighten: stricterOf('none', 'loopback', 'full')},
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
  'environment.exclude':               unionForAll,
  'environment.keep':                  ignoredList,
  'environment.set':                   ignoredTable,
  'audit.mode':                        {trusted: highest, tighten: stricterOf('required', 'best-effort')},
  hooks:                               ignoredList,
  frames:                              ignoredTable,
};

function strictlyStricter(one: ApprovalMode, other: ApprovalMode): boolean {
  return atLeastAsStrict(one, other) && !atLeastAsStrict(other, one);
}
