import {TomlError, parse as parseToml} from 'smol-toml';
import {IonError, quoted} from '../../errors.ts';
import type {Key, LayerValues} from '../keys.ts';
import type {LayerContent} from '../layer.ts';
import {locate, type Lines} from './locate.ts';
import {howToJoin} from './redefined.ts';
import {nearest} from '../../system/nearest.ts';
import {renderToml, tomlString} from './render.ts';
import {fieldsOf} from '../parsers.ts';
import {originOf, pathOf, unknownKey, within, type Raw, type Source} from '../raw.ts';
import {locationOf} from './origin.ts';
import {schema} from '../schema.ts';
import {readSections} from '../server-sections.ts';

/** The facts about a config file besides its text. */
export type FileSource = Omit<Source, 'lineOf'>;

/** Parses every key of the text. An unknown key is an error that names file, line and the nearest valid key. */
export function parseLayer(text: string, file: FileSource): LayerContent {
  const document = parseDocument(text, file.file);
  let lines: Lines | undefined;
  return readDocument(document, {...file, lineOf: (path) => (lines ??= locate(text)).lineOf(path)});
}

export function readDocument(document: unknown, source: Source): LayerContent {
  const values: Partial<Record<Key, unknown>> = {};
  const root = {value: document, part: '', parent: undefined, source};
  readSection(root, values);
  const mcp = fieldsOf(root).find(({part}) => part === 'mcp');
  // The schema gives each key its own type. The compiler cannot see that from a loop over keys.
  return {values: values as LayerValues, document, ...(mcp ? {servers: readSections(mcp)} : {})};
}

function parseDocument(text: string, file: string): unknown {
  try {
    return parseToml(text, {maxDepth: 32});
  } catch (error) {
    const what = tomlProblem(error);
    if (what === undefined) throw error;
    const {line} = error as TomlError;
    throw new IonError(`bad TOML: ${what}`, {
      at: {file, line},
      help: /redefine/.test(what) ? howToJoin(text, line) : unquotedWord(text, line),
    });
  }
}

/** The problem in the parser's words. Undefined for any other error. */
export function tomlProblem(error: unknown): string | undefined {
  if (!(error instanceof TomlError)) return undefined;
  return error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
}

/** For `network = full`: the line with quotes, if its table has this key. */
function unquotedWord(text: string, line: number): string | undefined {
  const all = text.split('\n');
  const [, key, word] =
    /^\s*([\w.-]+)\s*=\s*([A-Za-z~/.][\w~/.*-]*)\s*(?:#.*)?$/.exec(all[line - 1] ?? '') ?? [];
  if (key === undefined || word === undefined) return undefined;
  const header = all.slice(0, line - 1).findLast((one) => /^\s*\[/.test(one));
  const whole = header === undefined && !isKey(key) ? inOtherSection(key) : key;
  return `text needs quotes, write: ${whole ?? key} = ${tomlString(word)}`;
}

const keys = Object.keys(schema) as Key[];
/** The tables that hold keys: `permissions`, `sandbox`, `sandbox.limits`, ... */
const sections = new Set(keys.flatMap((key) => ancestors(key)));

function ancestors(key: string): string[] {
  const parts = key.split('.').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

function readSection(section: Raw, values: Partial<Record<Key, unknown>>): void {
  for (const raw of fieldsOf(section)) {
    // A name with a dot in it was quoted. No key is written that way.
    const key = raw.part.includes('.') ? '' : pathOf(raw).join('.');
    refuseMisplaced(raw, section);
    if (key === 'mcp') continue; // readSections
    if (isKey(key)) values[key] = schema[key](raw);
    else if (sections.has(key)) readSection(raw, values);
    else throw unknown(raw, section);
  }
}

/** `sandbox.network = "full"` below `[permissions]`: TOML takes it for `permissions.sandbox.network`. */
function refuseMisplaced(raw: Raw, section: Raw): void {
  const inner = pathOf(raw).slice(1).join('.');
  const {value} = raw;
  if (section.parent === undefined || !sections.has(inner) || typeof value !== 'object' || value === null)
    return;
  const name = Object.keys(value).find((one) => isKey(`${inner}.${one}`) || sections.has(`${inner}.${one}`));
  if (name === undefined) return;
  let top = section;
  while (top.parent) top = top.parent;
  const hasOwnTable = Object.hasOwn(top.value as object, inner.split('.')[0]!);
  const table = String(pathOf(raw)[0]);
  throw new IonError(`${quoted(`${inner}.${name}`)} stands below [${table}]`, {
    at: locationOf(originOf(within(raw, name, undefined))),
    help: hasOwnTable
      ? `move it below [${inner}], without "${inner}." before it`
      : 'move the line above the first [table] of the file',
  });
}

function isKey(key: string): key is Key {
  return Object.hasOwn(schema, key);
}

function unknown(raw: Raw, section: Raw): IonError {
  const prefix = pathOf(section)
    .map((part) => `${part}.`)
    .join('');
  const siblings = [...keys, ...sections]
    .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes('.'))
    .map((key) => key.slice(prefix.length));
  const elsewhere = inOtherSection(String(raw.part));
  const isTop = section.parent === undefined;
  // TOML allows each table only once, so the line does not fit if its table has a header of its own.
  const table = elsewhere?.slice(0, elsewhere.lastIndexOf('.'));
  const fits =
    isTop &&
    elsewhere?.endsWith(`.${raw.part}`) &&
    !Object.hasOwn(section.value as object, table!.split('.')[0]!);
  return unknownKey(raw, siblings, {
    key: elsewhere,
    line: fits ? `${elsewhere} = ${renderToml(raw.value, Infinity)}` : undefined,
  });
}

/** Finds the key that a misplaced name means: `mode` at the top level means `permissions.mode`. */
function inOtherSection(name: string): string | undefined {
  const meant = nearest(name, [...new Set(keys.map((key) => key.split('.').at(-1)!))]);
  return keys.find((key) => key.split('.').at(-1) === meant);
}
