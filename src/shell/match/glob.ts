import {IonError, quoted} from '../../errors.ts';

/** A longer pattern is a mistake or an attack. With this bound matching is linear in the text. */
export const maxGlobLength = 4096;

/** A compiled glob: `*` matches any characters (none, spaces, slashes, newlines too), `?` matches one code point. */
export interface Glob {
  readonly words: number;
  /** Maps a character to the states that it leads to. State 0 is the start, state n the position after n characters. */
  readonly masks: ReadonlyMap<string, Uint32Array>;
  /** States that any character leads to: those after a `?`. */
  readonly any: Uint32Array;
  /** States that remain active on any character: those before a `*`. */
  readonly stays: Uint32Array;
  readonly last: number;
  /** The literal start of the glob. Most texts do not begin with it and need no full match. */
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
 * Reports whether the glob matches the whole text. A null piece stands for unknown text; then the result says whether the
 * glob can match.
 *
 * The match tracks all positions of the pattern at once, one bit each. So no pattern makes it slow: `*a*a*a*b` takes one
 * pass over the text like any other.
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
