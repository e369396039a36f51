import {parse as parseToml} from 'smol-toml';
import {IonError, isIonError, quoted, shortened} from '../../errors.ts';
import {attempt} from '../../system/attempt.ts';
import {nearest} from '../../system/nearest.ts';
import {setOption, setOptionFor} from '../set-option.ts';
import type {LayerContent} from '../layer.ts';
import {isListKey, schema} from '../schema.ts';
import {keyInSection} from '../server-sections.ts';
import {readDocument, tomlProblem, type FileSource} from './parse-layer.ts';

/** One parsed `--set` argument, as a config file with this one key. */
export interface SetContent extends LayerContent {
  /** True for `=`: it replaces the lower layers where the key's join row allows it. */
  readonly replaces: boolean;
}

const form = /^\s*((?:[\w.-]|"[^"]*"|'[^']*')+)\s*(\+?=)\s*([\s\S]*?)\s*$/;

/**
 * Parses `key=value`, or `key+=entry` for a list. The value is TOML, or a bare word that means a string. Throws an
 * IonError that names the argument.
 */
export function parseSet(text: string, place: Pick<FileSource, 'folder' | 'home'>): SetContent {
  const [, key, sign, value = ''] = form.exec(text) ?? [];
  const at = {file: `--set ${shown(text)}`};
  if (key === undefined) {
    throw new IonError(`--set ${quoted(shown(text))} is not key=value`, {
      help: 'for example: --set sandbox.network=full, --set sandbox.write_roots+=/srv/data',
    });
  }
  const meant = keyInSection(key) ?? key;
  if (meant === key) refuseUnknown(key, `${sign}${value}`, at);
  const isList = isListKey(meant);
  if (sign === '+=' && !isList) {
    throw new IonError(`${key} is not a list: += adds to lists only`, {
      at,
      help: setOption(`${key}=${value}`),
    });
  }
  const source: FileSource = {...place, kind: 'set', file: at.file};
  const content = firstThatParses(candidates(value, source.file).map(wrapped), (one) =>
    readDocument(documentOf(key, one), {...source, lineOf: () => undefined}),
  );
  return {...content, replaces: sign === '='};

  function wrapped(one: unknown): unknown {
    if (!isList || Array.isArray(one)) return one;
    if (sign === '+=') return [one];
    throw new IonError(`${key} is a list: = takes all of it`, {
      at,
      help: `to add to it: ${setOption(`${key}+=${value}`)}`,
    });
  }
}

/**
 * Reads tables of settings that a program passes. Each key works like one `--set`, and a key that ends with `+` adds
 * to its list. Throws an IonError that names the key.
 */
export function readSettings(
  settings: Readonly<Record<string, unknown>>,
  place: Pick<FileSource, 'folder' | 'home'>,
): SetContent[] {
  return leavesOf(settings, '').map(({key, adds, value}) => {
    const source: FileSource = {...place, kind: 'set', file: `settings: ${key}`};
    refuseUnknown(key, '', {file: source.file});
    const content = readDocument(documentOf(key, value), {...source, lineOf: () => undefined});
    return {...content, replaces: !adds};
  });
}

interface Leaf {
  readonly key: string;
  readonly adds: boolean;
  readonly value: unknown;
}

function leavesOf(table: Readonly<Record<string, unknown>>, prefix: string): Leaf[] {
  return Object.entries(table).flatMap(([name, value]) => {
    const adds = name.endsWith('+');
    const key = `${prefix}${adds ? name.slice(0, -1) : name}`;
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isTable && !Object.hasOwn(schema, key)) return leavesOf(value as typeof table, `${key}.`);
    return [{key, adds, value}];
  });
}

/** The argument for messages. A value that may be a secret is omitted, because messages are recorded. */
function shown(text: string): string {
  const secret = /^\s*(?:mcp\.[\w-]+\.)?environment\.set\b[^=]*=/.exec(text)?.[0];
  return secret === undefined ? shortened(text, 200) : `${secret.trim()}…`;
}

/** The possible meanings of the value, the likeliest first: TOML, and the text itself if the TOML is not of the key's type. */
function candidates(value: string, file: string): readonly unknown[] {
  const isWord = value !== '' && !/^["'[{]/.test(value) && !/\p{Cc}/u.test(value);
  let toml: Readonly<Record<string, unknown>>;
  try {
    toml = parseToml(`v = ${value}`, {maxDepth: 32}) as typeof toml;
  } catch (error) {
    if (isWord) return [value];
    const what = tomlProblem(error);
    if (what === undefined) throw error;
    throw new IonError(`bad TOML: ${what}`, {
      at: {file},
      help: 'in a shell, single quotes keep brackets and "quotes"',
    });
  }
  if (Object.keys(toml).length !== 1)
    throw new IonError('--set takes one key', {at: {file}, help: 'repeat --set for each'});
  const {v} = toml;
  const isText = typeof v === 'string' || (typeof v === 'object' && !(v instanceof Date));
  return isText ? [v] : [v, value];
}

function firstThatParses<T>(all: readonly unknown[], parse: (one: unknown) => T): T {
  try {
    return parse(all[0]);
  } catch (error) {
    if (all.length < 2 || !isIonError(error)) throw error;
    try {
      return parse(all[1]);
    } catch {
      throw error;
    }
  }
}

/** Parses the key alone: `a.b."c.d"` is TOML's own notation. */
function documentOf(key: string, value: unknown): unknown {
  const document = parseToml(`${key} = 0`) as Record<string, unknown>;
  let table = document;
  for (;;) {
    const name = Object.keys(table)[0]!;
    if (typeof table[name] !== 'object') {
      table[name] = value;
      return document;
    }
    table = table[name] as Record<string, unknown>;
  }
}

const keys = Object.keys(schema);

/** Refuses an unknown key, and proposes the full one: `network=full` means `sandbox.network=full`. */
function refuseUnknown(key: string, rest: string, at: {readonly file: string}): void {
  if (keys.some((one) => key === one || key.startsWith(`${one}.`))) return;
  const last = nearest(
    key,
    keys.flatMap((one) => [one, one.slice(one.lastIndexOf('.') + 1)]),
  );
  const meant = keys.find((one) => one === last) ?? keys.find((one) => one.endsWith(`.${last}`));
  const each = keysOfSection(key, rest);
  if (each !== undefined)
    throw new IonError(`${quoted(key)} is a section: --set takes one key`, {at, help: `write: ${each}`});
  throw new IonError(`unknown key ${quoted(key)}`, {
    at,
    help: meant === undefined ? '"ion config --all" shows every key' : `write: ${setOption(meant + rest)}`,
  });
}

/** The options for a table of keys: `sandbox.limits={cpu=3}` → `--set sandbox.limits.cpu=3`. Undefined if it is none. */
function keysOfSection(section: string, rest: string): string | undefined {
  const value = attempt(() => parseToml(`v ${rest}`)['v']);
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof Date) return undefined;
  const leaves = leavesOf(value as Record<string, unknown>, `${section}.`);
  return leaves.length > 0 && leaves.every(({key}) => Object.hasOwn(schema, key))
    ? leaves.map(({key, value: one}) => setOptionFor(key, one)).join(' ')
    : undefined;
}
