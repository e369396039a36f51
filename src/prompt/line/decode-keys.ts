/** Input from the terminal: a key, or text. Text never contains a control character, except line breaks in a paste. */
export type Key =
  {readonly kind: 'text' | 'paste'; readonly text: string} | {readonly kind: 'key'; readonly name: string};

/** A sequence that is not complete yet. */
export interface Decoding {
  readonly pending: string;
}

export const noPending: Decoding = {pending: ''};

/** A longer sequence without an end is dropped. Only a paste may be long. */
const maxSequence = 4096;
const maxPaste = 1024 * 1024;

const pasteBegins = '\u001b[200~';
const pasteEnds = '\u001b[201~';

/**
 * Splits what was typed into keys. Sequences of a terminal count as a whole: an answer to a query that a program has
 * sent (a title, a colour, a position) never becomes text. Pure.
 */
export function decodeKeys({pending}: Decoding, chunk: string): {keys: readonly Key[]; rest: Decoding} {
  const keys: Key[] = [];
  let text = pending + chunk;
  for (;;) {
    const found = firstKey(text);
    if (!found) break;
    if (found.key) keys.push(found.key);
    text = text.slice(found.length);
  }
  const kept = text.startsWith(pasteBegins) ? bounded(text) : text.length > maxSequence ? '' : text;
  return {keys: joined(keys), rest: {pending: kept}};
}

/** The end of a paste counts wherever it is: otherwise the text after the limit would count as typed. */
function bounded(paste: string): string {
  if (paste.length <= maxPaste) return paste;
  const more = paste.slice(maxPaste);
  const end = more.lastIndexOf(pasteEnds);
  const isEnd = end !== -1 && more.length - end <= maxSequence;
  return paste.slice(0, maxPaste) + more.slice(isEnd ? end : 1 - pasteEnds.length);
}

/** No more input came for a while: an escape character alone is the key, and a paste is complete. */
export function flushKeys({pending}: Decoding): {keys: readonly Key[]; rest: Decoding} {
  if (pending.startsWith(pasteBegins)) return pasted(pending);
  const isAlone = pending === '\u001b';
  return {keys: isAlone ? [named('escape')] : [], rest: isAlone ? noPending : {pending}};
}

interface Found {
  readonly key?: Key | undefined;
  readonly length: number;
}

/** The first key of the text. Undefined if it is empty, or not complete. */
function firstKey(text: string): Found | undefined {
  if (text === '') return undefined;
  if (text.startsWith(pasteBegins)) return undefined;
  if (text[0] === '\u001b') return escaped(text);
  const [character] = text as unknown as Iterable<string>;
  return {key: plain(character!), length: character!.length};
}

/**
 * The last end that arrived is that of the terminal. An earlier one is part of the pasted text: it would make the terminal type
 * what follows it, with an Enter.
 */
function pasted(text: string): {keys: readonly Key[]; rest: Decoding} {
  const end = text.lastIndexOf(pasteEnds);
  if (end === -1) return {keys: [], rest: {pending: text}};
  const {keys, rest} = decodeKeys(noPending, text.slice(end + pasteEnds.length));
  const content = text
    .slice(0, Math.min(end, maxPaste))
    .replaceAll(pasteBegins, '')
    .replaceAll(pasteEnds, '');
  return {keys: [{kind: 'paste', text: pastedText(content)}, ...keys], rest};
}

/** Removes all control characters except line breaks and tabs. */
export function pastedText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, (character) => (character === '\n' ? '\n' : ''));
}

function escaped(text: string): Found | undefined {
  if (text.length === 1) return undefined;
  const second = text[1]!;
  if (second === '[') return control(text);
  if (second === 'O') return text.length < 3 ? undefined : {key: keyOf(final[text[2]!]), length: 3};
  // OSC, DCS, SOS, PM and APC continue until ST or BEL.
  if (']PX^_'.includes(second)) {
    // eslint-disable-next-line no-control-regex -- the characters that end such a string
    const end = /\u0007|\u001b\\|\u009c|\u0018|\u001a/.exec(text.slice(2));
    return end ? {length: 2 + end.index + end[0].length} : undefined;
  }
  // Two escapes: the first one was the key.
  if (second === '\u001b') return {key: named('escape'), length: 1};
  return {key: keyOf(meta[second]), length: 2};
}

/** CSI: parameters, intermediate characters, a final one. */
function control(text: string): Found | undefined {
  if (text[2] === '[') return text.length < 4 ? undefined : {length: 4};
  if (text[2] === 'M') return text.length < 6 ? undefined : {length: 6};
  const found = /^[0-?]*[ -/]*([@-~]|[^ -~])/.exec(text.slice(2));
  if (!found) return undefined;
  const [whole, last = ''] = found;
  // Not part of a sequence: the character after it counts again.
  if (!/[@-~]/.test(last)) return {length: 2 + whole.length - last.length};
  return {
    key: keyOf(sequences[whole] ?? (/^[\d;]*$/.test(whole.slice(0, -1)) ? modified(whole) : undefined)),
    length: 2 + whole.length,
  };
}

/** `1;5C`: the second number is one more than the bits of shift (1), alt (2) and ctrl (4). */
function modified(sequence: string): string | undefined {
  const [, modifier] = sequence.slice(0, -1).split(';');
  const last = sequence.at(-1)!;
  if (modifier === undefined) return final[last];
  const withWord = ((Number(modifier) - 1) & 6) !== 0;
  return withWord ? ({C: 'word-right', D: 'word-left'}[last] ?? final[last]) : final[last];
}

const final: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift-tab',
  M: 'enter',
};

const sequences: Readonly<Record<string, string>> = {
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '3;5~': 'kill-word',
  '5~': 'up',
  '6~': 'down',
  '13;2u': 'newline',
  '27;2;13~': 'newline',
};

const meta: Readonly<Record<string, string>> = {
  '\r': 'newline',
  '\n': 'newline',
  '\u007f': 'rubout-word',
  b: 'word-left',
  f: 'word-right',
  d: 'kill-word',
  '<': 'first',
  '>': 'last',
};

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u001f': 'ctrl-_',
  '\u007f': 'backspace',
};

function plain(character: string): Key | undefined {
  const code = character.codePointAt(0)!;
  if (Object.hasOwn(controls, character)) return named(controls[character]!);
  if (code < 32) return named(`ctrl-${String.fromCharCode(code + 96)}`);
  return /[\p{Cc}\p{Cs}]/u.test(character) ? undefined : {kind: 'text', text: character};
}

function keyOf(name: string | undefined): Key | undefined {
  return name === undefined ? undefined : named(name);
}

function named(name: string): Key {
  return {kind: 'key', name};
}

/** Text that arrived together is one insertion. */
function joined(keys: readonly Key[]): readonly Key[] {
  const all: Key[] = [];
  for (const key of keys) {
    const last = all.at(-1);
    if (key.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = {kind: 'text', text: last.text + key.text};
    else all.push(key);
  }
  return all;
}
