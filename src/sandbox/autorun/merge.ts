import {lower, parseGitConfig, type Entry, type GitConfig, type Section} from './git-config.ts';
import {isInert} from './inert-keys.ts';

/** A key whose values are others than before. */
export interface KeyChange {
  readonly key: string;
  readonly before: readonly Value[];
  readonly after: readonly Value[];
}

type Value = string | undefined;

/** Every key that changed, in the order of its first appearance. Pure. */
export function changedKeys(before: GitConfig, after: GitConfig): KeyChange[] {
  const was = valuesByKey(before);
  const is = valuesByKey(after);
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((key) => ({key, before: was.get(key) ?? [], after: is.get(key) ?? []}))
    .filter((change) => !isEqual(change.before, change.after));
}

/**
 * The keys that changed and must not have: any value, old or new, that is not inert. An include that was moved counts too,
 * though its values are the same: what follows it overrides it. Pure.
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

/** What is not inert, in its order. */
function withoutInert({entries}: GitConfig): string[] {
  return entries
    .filter(({key, value}) => !isInert(key, value))
    .map(({key, value}) => `${key}\n${value ?? ''}`);
}

/**
 * `base` with the inert changes from `before` to `after` carried over, everything else byte for byte as in `base`: the same
 * three-way merge, value by value, that lets two writers of one file both keep what they added. Pure. Undefined when the
 * result would not read as meant: then nobody must write it.
 */
export function carryOver(base: string, before: GitConfig, after: GitConfig): string | undefined {
  const changes = changedKeys(before, after).filter(({key, before: was, after: is}) =>
    [...was, ...is].every((value) => isInert(key, value)),
  );
  let text = base;
  const current = valuesByKey(parseGitConfig(base));
  for (const change of changes) {
    const wanted = mergeValues(current.get(change.key) ?? [], change);
    text = setValues(text, modelOf(change.key, [after, before]), wanted);
    const read = valuesByKey(parseGitConfig(text)).get(change.key) ?? [];
    if (!isEqual(read, wanted)) return undefined;
  }
  const [old, result] = [parseGitConfig(base), parseGitConfig(text)];
  return isEqual(withoutInert(old), withoutInert(result)) ? text : undefined;
}

/** Keys of which each value counts; of any other git takes the last one, and refuses to set one that has several. */
const hasManyValues = /^remote\..*\.(?:fetch|push)$/s;

/** Values that somebody else added or removed meanwhile stay so; of a key that has one value the last writer's does, which is ours. */
function mergeValues(current: readonly Value[], {key, before, after}: KeyChange): Value[] {
  if (isEqual(current, before)) return [...after];
  const hadOne = [current, before, after].every(({length}) => length <= 1);
  if (hadOne && !hasManyValues.test(key)) return after.length > 0 ? [...after] : [...current];
  const removed = without(before, after);
  return [...without(current, removed), ...without(without(after, before), current)];
}

function without(list: readonly Value[], taken: readonly Value[]): Value[] {
  const left = [...taken];
  return list.filter((value) => {
    const at = left.indexOf(value);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function modelOf(key: string, configs: readonly GitConfig[]): Entry {
  return configs.flatMap(({entries}) => entries).find((entry) => entry.key === key)!;
}

/** Replace all values of one key: in the last section of its name, else in a new one at the end. */
function setValues(text: string, model: Entry, values: readonly Value[]): string {
  const {sections, entries} = parseGitConfig(text);
  const own = entries.filter(({key}) => key === model.key);
  const lines = values
    .map((value) => `\t${model.name}${value === undefined ? '' : ` = ${encode(value)}`}\n`)
    .join('');
  const home = own.at(-1)?.section ?? sections.findLast(({stem}) => stem === model.section.stem);
  const edits = own.map(({start, end}) => ({start: lineStart(text, start), end, put: ''}));
  if (values.length === 0) {
    edits.push(...emptied(text, sections, entries, own));
  } else if (home) {
    edits.push({start: home.end, end: home.end, put: `${newlineBefore(text, home.end)}${lines}`});
  } else {
    const header = headerOf(model.section.stem);
    edits.push({
      start: text.length,
      end: text.length,
      put: `${newlineBefore(text, text.length)}${header}\n${lines}`,
    });
  }
  return apply(text, edits);
}

/** Sections that hold nothing but the removed entries, no comment either: git removes them as well. */
function emptied(
  text: string,
  sections: readonly Section[],
  entries: readonly Entry[],
  removed: readonly Entry[],
): {start: number; end: number; put: string}[] {
  return sections
    .filter((section) => removed.some((entry) => entry.section === section))
    .filter(({start, end}) => {
      const inside = removed.filter((entry) => isIn(entry, start, end));
      const rest = apply(
        text.slice(0, end),
        inside.map((entry) => ({...entry, put: ''})),
      ).slice(start);
      return (
        /^\[[^\n]*\]\s*$/.test(rest) &&
        entries.every((entry) => !isIn(entry, start, end) || removed.includes(entry))
      );
    })
    .map(({start, end}) => ({start, end, put: ''}));
}

function isIn(entry: Entry, start: number, end: number): boolean {
  return entry.start >= start && entry.end <= end;
}

/** Edits in order, those that lie within another swallowed by it. */
function apply(text: string, edits: readonly {start: number; end: number; put: string}[]): string {
  let result = '';
  let at = 0;
  for (const {start, end, put} of [...edits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end < at) continue;
    result += text.slice(at, Math.max(at, start)) + put;
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/** With the blanks before an entry, if nothing else stands before it on its line. */
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

function valuesByKey({entries}: GitConfig): Map<string, Value[]> {
  const values = new Map<string, Value[]>();
  for (const {key, value} of entries) {
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function isEqual(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
