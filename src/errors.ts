/** A line of a config file: `line` counts from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
}

/** Exit codes of ion's own; every other code is the command's. */
export const exitCodes = {timedOut: 124, failed: 125, denied: 126} as const;

export interface IonErrorDetails {
  /** Where the error comes from, for the ` --> ` line. */
  readonly at?: SourceLocation | undefined;
  /** The next step, for the `help: ` line. */
  readonly help?: string | undefined;
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/**
 * Two copies of the class can meet in one process (two versions of the library), so `instanceof` would fail. This brand
 * identifies an error.
 */
const brand = Symbol.for('ion.error');

export function isIonError(error: unknown): error is IonError {
  return error instanceof Error && brand in error;
}

/** An error that the user can act on. Any other error is a bug in ion, and is shown with its stack. */
export class IonError extends Error {
  readonly [brand] = true;
  readonly at: SourceLocation | undefined;
  readonly help: string | undefined;
  readonly exitCode: number;

  constructor(message: string, details: IonErrorDetails = {}) {
    super(message, {cause: details.cause});
    this.name = 'IonError';
    this.at = details.at;
    this.help = details.help;
    this.exitCode = details.exitCode ?? exitCodes.failed;
  }
}

/** A message of ion: what happened, where it comes from, what to do next. */
export interface Message {
  readonly text: string;
  readonly at?: SourceLocation | undefined;
  readonly help?: string | undefined;
  /** A stack. Only this part may contain line breaks. */
  readonly details?: string | undefined;
}

/**
 * The three-line form: `ion: what`, ` --> where`, `help: next step`; the last two are optional. Each may contain names of
 * programs, paths and texts of hooks. Control characters in them are escaped, so they cannot start a line or move the
 * cursor.
 */
export function renderMessage({text, at, help, details}: Message): string {
  const lines = [`ion: ${text}`, ...(details?.split('\n') ?? [])];
  if (at) lines.push(` --> ${at.line === undefined ? at.file : `${at.file}:${at.line}`}`);
  if (help) lines.push(`help: ${help}`);
  return lines.map((line) => `${withoutControls(line)}\n`).join('');
}

/**
 * Untrusted text, quoted for a message. Control characters are escaped, so that a command or a path cannot move the cursor,
 * forge a line or hide a part of itself.
 */
export function quoted(text: string, maxLength = 200): string {
  return `"${visible(shortened(text, maxLength))}"`;
}

export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * Replaces control characters, format characters (bidi overrides, zero width), line and paragraph separators, lone surrogates, and
 * characters that are invisible or look like a blank. A name that contains one could look like `git` and be another
 * program.
 */
export function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  // This is not a constant, because making the pattern costs a start 0.7 ms, and most runs never need it.
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu,
    replacement,
  );
}

const named: Record<string, string> = {'\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e'};

export function visible(text: string): string {
  return withoutControls(text.replaceAll(/["\\]/g, '\\$&'));
}

/** The last check before ion's own lines are written: it escapes everything that could move the cursor. */
export function safeLines(text: string): string {
  return text.split('\n').map(withoutControls).join('\n');
}

export function withoutControls(text: string): string {
  return replaceUnsafe(
    text,
    (character) => named[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
