/** A place in a config file: `line` counts from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
}

/** Exit codes that are ion's own (product contract, section 2); every other code is the command's. */
export const exitCodes = {timedOut: 124, failed: 125, denied: 126} as const;

export interface IonErrorDetails {
  /** Where it comes from, for the ` --> ` line. */
  readonly at?: SourceLocation | undefined;
  /** The next step, for the `help: ` line. */
  readonly help?: string | undefined;
  readonly exitCode?: number;
  readonly cause?: unknown;
}

/** Each bundle in dist/ has a class of its own: errors are known by this, not by `instanceof`. */
const brand = Symbol.for('ion.error');

export function isIonError(error: unknown): error is IonError {
  return error instanceof Error && brand in error;
}

/**
 * An error that the user can do something about. Everything else that is thrown is a bug in ion and is
 * shown with its stack.
 */
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

/** One message of ion: what happened, where it comes from, what to do next. */
export interface Message {
  readonly text: string;
  readonly at?: SourceLocation | undefined;
  readonly help?: string | undefined;
  /** The only part that may have lines of its own: a stack. */
  readonly details?: string | undefined;
}

/**
 * The three-line form: `ion: what`, ` --> where`, `help: next step`; the last two only if there are any. Names of programs, paths
 * and what hooks say may stand in each of them: none can make a line of its own, or move the cursor.
 */
export function renderMessage({text, at, help, details}: Message): string {
  const lines = [`ion: ${text}`, ...(details?.split('\n') ?? [])];
  if (at) lines.push(` --> ${at.line === undefined ? at.file : `${at.file}:${at.line}`}`);
  if (help) lines.push(`help: ${help}`);
  return lines.map((line) => `${withoutControls(line)}\n`).join('');
}

/**
 * Text from outside, quoted for a message: control characters are escaped, so that neither a command nor a
 * path can move the cursor, forge a line or hide a part of itself.
 */
export function quoted(text: string, maxLength = 200): string {
  return `"${visible(shortened(text, maxLength))}"`;
}

export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * Controls, format characters (bidi overrides, zero width), line and paragraph separators, lone surrogates; and what looks like
 * nothing, or like the blank that it is not: `git` and another program could not be told apart.
 */
export const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const named: Record<string, string> = {'\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e'};

export function visible(text: string): string {
  return withoutControls(text.replaceAll(/["\\]/g, '\\$&'));
}

/** Lines of ion's own, each without what could move the cursor: the last look before they are written. */
export function safeLines(text: string): string {
  return text.split('\n').map(withoutControls).join('\n');
}

export function withoutControls(text: string): string {
  return text.replaceAll(
    unsafe,
    (character) => named[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
