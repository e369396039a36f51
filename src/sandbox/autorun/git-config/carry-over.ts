import {changedKeys, isEqual, valuesByKey, withoutInert, type KeyChange, type Value} from './changed-keys.ts';
import {lower, parseGitConfig, type Entry, type GitConfig, type Section} from './parse-git-config.ts';
import {isInert} from './inert-keys.ts';

/**
 * Returns `base` with the inert changes from `before` to `after`. All other bytes stay as in `base`. This is a three-way merge of
 * single values, so two writers of one file both keep what they added. Pure. Returns undefined if git would read the result
 * differently: such a text must not be written.
 */
export function carryOver(base: string, before: GitConfig, after: GitConfig): string | undefined {
  const changes = changedKeys(before, after).filter(({key, before: was, after: is}) =>
    [...was, ...is].every((value) => isInert(key, value)),
  );
  const old = parseGitConfig(base);
  const current = valuesByKey(old);
  const models = firstByKey([after, before]);
  const wanted = changes.map((change) => ({
    model: models.get(change.key)!,
    values: mergeValues(current.get(change.key) ?? [], change),
  }));
  const text = setValues(base, old, wanted);
  const result = parseGitConfig(text);
  const read = valuesByKey(result);
  const isAsMeant =
    wanted.every(({model, values}) => isEqual(read.get(model.key) ?? [], values)) &&
    isEqual(withoutInert(old), withoutInert(result));
  return isAsMeant ? text : undefined;
}

/** Keys whose values all count. For any other key git uses the last value, and it refuses to set a key that has several. */
const hasManyValues = /^remote\..*\.(?:fetch|push)$/s;

/**
 * Merges the values of one key. Values that another process added meanwhile stay, and values that it removed stay removed. A key
 * that can have only one value gets ours, because we are the last writer.
 */
function mergeValues(current: readonly Value[], {key, before, after}: KeyChange): Value[] {
  if (isEqual(current, before)) return [...after];
  const hadOne = [current, before, after].every(({length}) => length <= 1);
  if (hadOne && !hasManyValues.test(key)) return after.length > 0 ? [...after] : [...current];
  const removed = without(before, after);
  return [...without(current, removed), ...without(without(after, before), current)];
}

function without(list: readonly Value[], taken: readonly Value[]): Value[] {
  const left = new Map<Value, number>();
  for (const value of taken) left.set(value, (left.get(value) ?? 0) + 1);
  return list.filter((value) => {
    const count = left.get(value) ?? 0;
    if (count > 0) left.set(value, count - 1);
    return count === 0;
  });
}

function firstByKey(configs: readonly GitConfig[]): Map<string, Entry> {
  // A Map keeps the last entry of a key. So the list is reversed, and the first one stays.
  return new Map(
    configs.flatMap(({entries}) => entries.map((entry) => [entry.key, entry] as const)).reverse(),
  );
}

/** All values that one key gets. `model` is an entry with the section and the spelling of the key. */
interface Setting {
  readonly model: Entry;
  readonly values: readonly Value[];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

/**
 * Replace all values of these keys: each in the last section of its name, else in a new one at the end. One pass does all keys: a
 * run can leave thousands of them behind.
 */
function setValues(text: string, {sections, entries}: GitConfig, settings: readonly Setting[]): string {
  const own = new Map<string, Entry[]>(settings.map(({model}) => [model.key, []]));
  for (const entry of entries) own.get(entry.key)?.push(entry);
  const lastOf = new Map(sections.map((section) => [section.stem, section]));
  const added = new Map<Section, string>();
  const appended = new Map<string, string>();
  for (const {model, values} of settings) {
    if (values.length === 0) continue;
    const {stem} = model.section;
    const home = own.get(model.key)?.at(-1)?.section ?? lastOf.get(stem);
    const lines = linesOf(model, values);
    if (home) added.set(home, (added.get(home) ?? '') + lines);
    else appended.set(stem, (appended.get(stem) ?? `${headerOf(stem)}\n`) + lines);
  }
  const removed = [...own.values()].flat();
  const edits: Edit[] = [
    ...removed.map(({start, end}) => ({start: lineStart(text, start), end, put: ''})),
    ...emptied(text, entries, removed)
      .filter((section) => !added.has(section))
      .map(({start, end}) => ({start, end, put: ''})),
    ...[...added].map(([{end}, lines]) => ({start: end, end, put: newlineBefore(text, end) + lines})),
  ];
  const end = [...appended.values()].join('');
  return apply(
    text,
    end === ''
      ? edits
      : [...edits, {start: text.length, end: text.length, put: newlineBefore(text, text.length) + end}],
  );
}

function linesOf({name}: Entry, values: readonly Value[]): string {
  return values.map((value) => `\t${name}${value === undefined ? '' : ` = ${encode(value)}`}\n`).join('');
}

/** Sections that contain only the removed entries and no comment. git removes these too. */
function emptied(text: string, entries: readonly Entry[], removed: readonly Entry[]): Section[] {
  const gone = new Set(removed);
  const kept = new Set(entries.filter((entry) => !gone.has(entry)).map(({section}) => section));
  const inside = new Map<Section, Entry[]>();
  for (const entry of removed) {
    const list = inside.get(entry.section);
    if (list) list.push(entry);
    else inside.set(entry.section, [entry]);
  }
  return [...inside]
    .filter(([section, own]) => {
      const rest = apply(
        text.slice(section.start, section.end),
        own.map(({start, end}) => ({start: start - section.start, end: end - section.start, put: ''})),
      );
      return !kept.has(section) && /^\[[^\n]*\]\s*$/.test(rest);
    })
    .map(([section]) => section);
}

/**
 * Applies the edits in order. An edit that lies inside another one is dropped. At the same position an insertion comes before a
 * removal.
 */
function apply(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const {start, end, put} of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (end < at) continue;
    result += text.slice(at, Math.max(at, start)) + put;
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/** The start of an entry, including the blanks before it if the entry is the first text on its line. */
function lineStart(text: string, start: number): number {
  let at = start;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at === 0 || text[at - 1] === '\n' ? at : start;
}

function newlineBefore(text: string, at: number): string {
  return at === 0 || text[at - 1] === '\n' ? '' : '\n';
}

/** `remote.origin.` → `[remote "origin"]`. */
function headerOf(stem: string): string {
  const name = stem.slice(0, -1);
  const dot = name.indexOf('.');
  if (dot === -1) return `[${name}]`;
  return `[${lower(name.slice(0, dot))} "${name.slice(dot + 1).replaceAll(/["\\]/g, '\\$&')}"]`;
}

const escaped: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\b': '\\b',
  '"': '\\"',
  '\\': '\\\\',
};

function encode(value: string): string {
  const text = value.replaceAll(/[\n\t\b"\\]/g, (character) => escaped[character]!);
  return /^[^\s;#"\\]+(?: [^\s;#"\\]+)*$/.test(text) ? text : `"${text}"`;
}
