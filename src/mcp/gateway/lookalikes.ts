import type {Params} from '../wire/message.ts';

/**
 * Some receivers (Go's `encoding/json`) compare names without case and take the last: for them `Name` after `name` is another
 * tool than the one that was judged. So names that could be read as one of `names` are removed.
 */
export function withoutLookalikes(table: Params, names: readonly string[]): Params {
  return keeping(table, (name) => names.includes(name) || !isLike(name, names));
}

/** The same, without `names` themselves. */
export function without(table: Params, names: readonly string[]): Params {
  return keeping(table, (name) => !isLike(name, names));
}

function keeping(table: Params, isKept: (name: string) => boolean): Params {
  const entries = Object.entries(table);
  const kept = entries.filter(([name]) => isKept(name));
  return kept.length === entries.length ? table : Object.fromEntries(kept);
}

/** With Unicode's simple folding, as Go has it: a long s is an s. */
function isLike(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.length === name.length && new RegExp(`^${one}$`, 'iu').test(name));
}
