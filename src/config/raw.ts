import {IonError, quoted} from '../errors.ts';
import {nearest} from '../system/nearest.ts';
import {locationOf} from './read/origin.ts';
import {renderToml, tomlKey} from './read/render.ts';
import type {LayerKind, Origin} from './settings.ts';

/** The file that a value comes from. */
export interface Source {
  readonly kind: LayerKind;
  /** The file's path as the user would write it. */
  readonly file: string;
  /** The folder that relative paths in it start from. Undefined where relative paths have no meaning. */
  readonly folder: string | undefined;
  readonly home: string | undefined;
  /** The 1-based line of a key path. Undefined where there are no lines. */
  readonly lineOf: (path: KeyPath) => number | undefined;
}

export type KeyPath = readonly (string | number)[];

/** A value as TOML gave it, and its place in the document. Its key path is built only when a message needs it. */
export interface Raw {
  readonly value: unknown;
  /** Its name or index in `parent`. Unused for the document itself. */
  readonly part: string | number;
  readonly parent: Raw | undefined;
  readonly source: Source;
}

/** Reads one value, or throws an IonError. `shape` describes what it accepts, for editors (json-schema.ts). */
export interface Parse<T> {
  (raw: Raw): T;
  readonly shape?: Shape;
}

/** The part of JSON Schema that a config file needs. */
export interface Shape {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | false;
  readonly description?: string;
}

export function shaped<T>(shape: Shape, parse: (raw: Raw) => T): Parse<T> {
  return Object.assign(parse, {shape});
}

/** True for a file that came with the project: another person may have written it. */
export function isProject({kind}: {readonly kind: LayerKind}): boolean {
  return kind === 'project' || kind === 'project-local';
}

export function within<P extends string | number>(
  raw: Raw,
  part: P,
  value: unknown,
): Raw & {readonly part: P} {
  return {value, part, parent: raw, source: raw.source};
}

export function pathOf(raw: Raw): KeyPath {
  return raw.parent ? [...pathOf(raw.parent), raw.part] : [];
}

/** The location of a value. Its line is computed on demand, because most values never need it. */
class FileOrigin implements Origin {
  readonly layer: LayerKind;
  readonly file: string;
  readonly #raw: Raw;

  constructor(raw: Raw) {
    this.layer = raw.source.kind;
    this.file = raw.source.file;
    this.#raw = raw;
  }

  get line(): number | undefined {
    return this.#raw.source.lineOf(pathOf(this.#raw));
  }

  toJSON(): Origin {
    const {layer, file, line} = this;
    return {layer, file, ...(line === undefined ? {} : {line})};
  }
}

export function originOf(raw: Raw): Origin {
  return new FileOrigin(raw);
}

/** `permissions.deny_commands[2]`. */
export function nameOf(path: KeyPath): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? tomlKey(part) : `${name}.${tomlKey(part)}`;
  }, '');
}

/** The error for a value that is not valid: `permissions.mode must be "read" or "write", not "reed"`. */
export function refusal(raw: Raw, must: string, help?: string): IonError {
  const joint = must.startsWith('must be ') ? ', not ' : ': ';
  return new IonError(`${nameOf(pathOf(raw))} ${must}${joint}${shown(raw.value)}`, {
    at: locationOf(originOf(raw)),
    help,
  });
}

export function missing(raw: Raw, field: string): IonError {
  return new IonError(`${nameOf(pathOf(raw))} has no ${quoted(field)}`, {at: locationOf(originOf(raw))});
}

/**
 * The error for an unknown key. `known` are the valid keys at this place. `elsewhere` is where the key probably
 * belongs, and the line that works instead.
 */
export function unknownKey(
  raw: Raw,
  known: readonly string[],
  elsewhere: {readonly key?: string | undefined; readonly line?: string | undefined} = {},
): IonError {
  const meant = nearest(String(raw.part), known) ?? elsewhere.key;
  const otherwise =
    meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${quoted(meant)}?`;
  return new IonError(`unknown key ${quoted(nameOf(pathOf(raw)))}`, {
    at: locationOf(originOf(raw)),
    help: elsewhere.line === undefined ? otherwise : `write: ${elsewhere.line}`,
  });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value, 80);
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object' && value !== null) return 'a table';
  return renderToml(value);
}
