import {IonError, quoted} from '../../errors.ts';

/** Longer patterns are a mistake or an attack; with this bound matching is linear in the text. */
export const maxGlobLength = 4096;

/** A glob made ready: `*` is any run of characters (none, spaces, slashes, newlines too), `?` one code point. */
export interface Glob {
  readonly words: number;
  /** Character → the states that it lets in. State 0 is the start, state n the position after n characters. */
  readonly masks: ReadonlyMap<string, Uint32Array>;
  /** States let in by any character: those behind a `?`. */
  readonly any: Uint32Array;
  /** States that stay whatever comes: those before a `*`. */
  readonly stays: Uint32Array;
  readonly last: number;
  /** What the text must begin with: most texts do not, and need no closer look. */
  readonly prefix: string;
}

export function compileGlob(pattern: string): Glob {
  if (pattern.length > maxGlobLength) {
    throw new IonError(`pattern longer than ${maxGlobLength} characters: ${quoted(pattern, 40)}`);
  }
  const words = (pattern.length >>> 5) + 1;
  const masks = new Map<string, Uint32Array>();
  const any = new Uint32Array(words);
  const stays = new Uint32Array(words);
  let state = 0;
  for (const character of pattern) {
    if (character === '*') {
      setBit(stays, state);
      continue;
    }
    state++;
    if (character === '?') setBit(any, state);
    else setBit(maskOf(masks, character, words), state);
  }
  return {words, masks, any, stays, last: state, prefix: /^[^*?]*/.exec(pattern)![0]};
}

/**
 * Does the glob match the whole text? Null pieces stand for text that is not known: then the answer is whether
 * it can match. All positions of the pattern are carried along at once (one bit each), so that no pattern makes
 * it slow: `*a*a*a*b` takes one pass over the text like any other.
 */
export function runGlob(glob: Glob, pieces: readonly (string | null)[]): boolean {
  const [first] = pieces;
  if (typeof first === 'string' && first.length >= glob.prefix.length && !first.startsWith(glob.prefix))
    return false;
  let states = new Uint32Array(glob.words);
  let next = new Uint32Array(glob.words);
  states[0] = 1;
  for (const piece of pieces) {
    if (piece === null) {
      fillFromLowest(states);
      continue;
    }
    for (const character of piece) {
      if (!step(glob, states, next, character)) return false;
      [states, next] = [next, states];
    }
  }
  return hasBit(states, glob.last);
}

export function matchGlob(pattern: string, text: string): boolean {
  return runGlob(compileGlob(pattern), [text]);
}

function step(glob: Glob, states: Uint32Array, next: Uint32Array, character: string): boolean {
  const mask = glob.masks.get(character);
  let carry = 0;
  let alive = 0;
  for (let word = 0; word < glob.words; word++) {
    const now = states[word]!;
    const shifted = (now << 1) | carry;
    const lets = glob.any[word]! | (mask ? mask[word]! : 0);
    carry = now >>> 31;
    alive |= next[word] = (shifted & lets) | (now & glob.stays[word]!);
  }
  return alive !== 0;
}

/** Unknown text may lead from a state to any later one. */
function fillFromLowest(states: Uint32Array): void {
  const first = states.findIndex((word) => word !== 0);
  if (first === -1) return;
  const lowest = states[first]! & -states[first]!;
  states[first] = ~(lowest - 1);
  states.fill(0xffffffff, first + 1);
}

function maskOf(masks: Map<string, Uint32Array>, character: string, words: number): Uint32Array {
  let mask = masks.get(character);
  if (!mask) masks.set(character, (mask = new Uint32Array(words)));
  return mask;
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5]! |= 1 << (at & 31);
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5]! >>> (at & 31)) & 1) === 1;
}
