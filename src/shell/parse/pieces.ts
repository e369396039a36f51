import {parse} from 'unbash';
import type {ParsedScript} from 'unbash';

/** A part of a script that is parsed on its own, with its start. */
export interface Piece {
  readonly script: ParsedScript;
  readonly text: string;
  readonly start: number;
}

const pieceLength = 65_536;

/**
 * Parses a script in pieces. The syntax tree of a long script is never in memory as a whole, which would cost more than the
 * parse itself. A caller that has seen enough can stop early.
 *
 * A piece is cut at a newline. Its last statement goes to the next piece, which begins there, so that an open construct at
 * the cut stays whole. The rest of the script becomes one piece where this does not work: an error before that statement, a
 * here-document (its text follows its statement), a statement that fills half a piece.
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
