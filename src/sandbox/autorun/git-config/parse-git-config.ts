/**
 * Reads a git config file as git does (config.c of git 2.30 to 2.51): sections, subsections, quotes, continuation
 * lines, comments, carriage returns. Pure. Text has one character per byte (latin1), so every offset is a byte offset.
 *
 * Includes are not followed: `include.path` is an ordinary key here, and never an inert one.
 */
export interface GitConfig {
  readonly sections: readonly Section[];
  /** In file order, over all sections. */
  readonly entries: readonly Entry[];
}

/** One header with the entries up to the next header. The text before the first header is a section without a stem. */
export interface Section {
  /** `remote.origin.`, as git puts it before each name: section name in lower case, subsection unchanged. */
  readonly stem: string;
  readonly start: number;
  readonly end: number;
}

export interface Entry {
  /** `remote.origin.url`: section and name in lower case. */
  readonly key: string;
  /** The name as it is spelled. */
  readonly name: string;
  /** undefined: a name without `=`, which means true. */
  readonly value: string | undefined;
  readonly section: Section;
  /** The range from the first character of the name to the end of its (last) line. */
  readonly start: number;
  readonly end: number;
}

/** Thrown for a text that git refuses too, and for one with NUL bytes, where git cuts values off. */
export class GitConfigError extends Error {
  constructor(what: string, offset: number) {
    super(`${what} at byte ${offset}`);
    this.name = 'GitConfigError';
  }
}

export function parseGitConfig(text: string): GitConfig {
  const nul = text.indexOf('\0');
  if (nul !== -1) throw new GitConfigError('a NUL', nul);
  const reader = new Reader(text);
  const sections: {stem: string; start: number; end: number}[] = [{stem: '', start: 0, end: text.length}];
  const entries: Entry[] = [];
  if (text.startsWith(byteOrderMark)) reader.offset = byteOrderMark.length;
  for (;;) {
    const start = reader.offset;
    const character = reader.next();
    if (character === '\n' || isSpace(character)) {
      if (reader.ended) return {sections, entries};
    } else if (character === '#' || character === ';') {
      reader.skipLine();
      if (reader.ended) return {sections, entries};
    } else if (character === '[') {
      sections.at(-1)!.end = start;
      sections.push({stem: `${readHeader(reader)}.`, start, end: text.length});
    } else if (isLetter(character)) {
      const name = character + reader.keyCharacters();
      const value = readValue(reader);
      const section = sections.at(-1)!;
      const stem = sections.length === 1 ? '' : section.stem;
      entries.push({key: stem + lower(name), name, value, section, start, end: reader.offset});
      if (reader.ended) return {sections, entries};
    } else {
      throw new GitConfigError('neither a section nor a name', start);
    }
  }
}

const byteOrderMark = '\u00ef\u00bb\u00bf';

/** After the last character every read returns a line end: git does the same at the end of a file. */
class Reader {
  offset = 0;
  ended = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string {
    const character = this.#text[this.offset];
    if (character === undefined) {
      this.ended = true;
      return '\n';
    }
    this.offset++;
    if (character === '\r' && this.#text[this.offset] === '\n') {
      this.offset++;
      return '\n';
    }
    return character;
  }

  keyCharacters(): string {
    const start = this.offset;
    while (isKeyCharacter(this.#text[this.offset] ?? '')) this.offset++;
    return this.#text.slice(start, this.offset);
  }

  skipLine(): void {
    while (this.next() !== '\n');
  }
}

/** After `[`: `remote "origin"]` or the old `remote.origin]`. */
function readHeader(reader: Reader): string {
  let base = '';
  for (;;) {
    const character = reader.next();
    if (reader.ended) throw new GitConfigError('a section without an end', reader.offset);
    if (character === ']') {
      if (base === '') throw new GitConfigError('a section without a name', reader.offset);
      return base;
    }
    if (isSpace(character)) return `${base}.${readSubsection(reader, character)}`;
    if (!isKeyCharacter(character) && character !== '.') {
      throw new GitConfigError('a section with a wrong name', reader.offset);
    }
    base += lower(character);
  }
}

function readSubsection(reader: Reader, blank: string): string {
  let character = blank;
  while (isSpace(character)) {
    if (character === '\n') throw new GitConfigError('a section cut by a line end', reader.offset);
    character = reader.next();
  }
  if (character !== '"') throw new GitConfigError('a subsection without quotes', reader.offset);
  let name = '';
  for (;;) {
    character = reader.next();
    if (character === '"') break;
    if (character === '\\') character = reader.next();
    if (character === '\n') throw new GitConfigError('a subsection cut by a line end', reader.offset);
    name += character;
  }
  if (reader.next() !== ']') throw new GitConfigError('a section without an end', reader.offset);
  return name;
}

/** After a name. */
function readValue(reader: Reader): string | undefined {
  let character = reader.next();
  while (character === ' ' || character === '\t') character = reader.next();
  if (character === '\n') return undefined;
  if (character !== '=') throw new GitConfigError('a name without "="', reader.offset);
  return readText(reader);
}

const escapes: Readonly<Record<string, string>> = {t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"'};

function readText(reader: Reader): string {
  let value = '';
  let blanks = '';
  let isQuoted = false;
  for (;;) {
    let character = reader.next();
    if (character === '\n') {
      if (isQuoted) throw new GitConfigError('a quote without an end', reader.offset);
      return value;
    }
    if (!isQuoted && isSpace(character)) {
      if (value !== '') blanks += character;
      continue;
    }
    if (!isQuoted && (character === '#' || character === ';')) {
      reader.skipLine();
      return value;
    }
    value += blanks;
    blanks = '';
    if (character === '"') {
      isQuoted = !isQuoted;
      continue;
    }
    if (character === '\\') {
      character = reader.next();
      if (character === '\n') continue;
      const meant = escapes[character];
      if (meant === undefined) throw new GitConfigError('an unknown escape', reader.offset);
      character = meant;
    }
    value += character;
  }
}

/** git's own character classes: form feed and vertical tab are not blanks. */
function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

function isLetter(character: string): boolean {
  return /^[A-Za-z]$/.test(character);
}

function isKeyCharacter(character: string): boolean {
  return /^[A-Za-z0-9-]$/.test(character);
}

/** ASCII only: toLowerCase would also change bytes of other encodings. */
export function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
