import type {GitConfig} from './parse-git-config.ts';
import {isInert} from './inert-keys.ts';

/** A key whose values have changed. */
export interface KeyChange {
  readonly key: string;
  readonly before: readonly Value[];
  readonly after: readonly Value[];
}

export type Value = string | undefined;

/** Every key that changed, in the order of its first appearance. Pure. */
export function changedKeys(before: GitConfig, after: GitConfig): KeyChange[] {
  const was = valuesByKey(before);
  const is = valuesByKey(after);
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((key) => ({key, before: was.get(key) ?? [], after: is.get(key) ?? []}))
    .filter((change) => !isEqual(change.before, change.after));
}

/**
 * Returns the changed keys with a value, old or new, that is not inert. The run must not change these. An include that was moved
 * counts too, although its value is the same: the lines after an include override it. Pure.
 */
export function forbiddenChanges(before: GitConfig, after: GitConfig): KeyChange[] {
  const forbidden = changedKeys(before, after).filter(
    ({key, before: was, after: is}) =>
      !was.every((value) => isInert(key, value)) || !is.every((value) => isInert(key, value)),
  );
  const moved = [before, after].map((config) => withoutInert(config));
  if (forbidden.length > 0 || isEqual(moved[0]!, moved[1]!)) return forbidden;
  return [{key: 'include.path', before: ['(order)'], after: ['(order)']}];
}

export function keysOf(changes: readonly KeyChange[]): string[] {
  return changes.map(({key}) => key);
}

/** The entries that are not inert, in file order. */
export function withoutInert({entries}: GitConfig): string[] {
  return entries
    .filter(({key, value}) => !isInert(key, value))
    .map(({key, value}) => `${key}\n${value ?? ''}`);
}

/** Each key with its values in file order. */
export function valuesByKey({entries}: GitConfig): Map<string, Value[]> {
  const values = new Map<string, Value[]>();
  for (const {key, value} of entries) {
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  return values;
}

export function isEqual(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
