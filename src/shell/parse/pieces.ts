import {parse} from 'unbash';
import type {ParsedScript} from 'unbash';

/** A part of a script that is parsed on its own, and where it begins. */
export interface Piece {
  readonly script: ParsedScript;
  readonly text: string;
  readonly start: number;
}

const pieceLength = 65_536;

/**
 * A script, parsed in pieces: of a long one the syntax tree never stands in memory as a whole (which costs more than
 * reading it), and who has seen enough of it need not have the rest read.
 *
 * A piece is cut at a newline, and its last statement is left to the next one, which begins there: whatever is open
 * at the cut is in it. Where that can't be relied on, all that is left is one piece: an error before that statement,
 * a here-document (its text comes later than its statement), a statement that fills half a piece.
 */
export function* parsePieces(text: string, length: number = pieceLength): Generator<Piece> {
  let start = 0;
  while (text.length - start > 2 * length) {
    const piece = text.slice(start, text.lastIndexOf('\n', start + length) + 1);
    const script = piece.includes('<<') ? undefined : parse(piece);
    const last = script?.commands.at(-1);
    if (!script || !last || last.pos < length / 2) break;
    if (script.errors?.some(({pos}) => pos < last.pos)) break;
    const {errors: _, ...rest} = script;
    yield {script: {...rest, commands: script.commands.slice(0, -1)}, text: piece, start};
    start += last.pos;
  }
  const rest = start === 0 ? text : text.slice(start);
  yield {script: parse(rest), text: rest, start};
}
