import {withoutControls} from '../../errors.ts';
import {cutTo, widthOf, type Span} from '../line/draw.ts';
import type {Candidate} from './candidates.ts';

/** The candidates in columns, for the rows below the line. Names are file names: every control character is escaped. Pure. */
export function listing(
  candidates: readonly Candidate[],
  {rows, columns}: {readonly rows: number; readonly columns: number},
): readonly (readonly Span[])[] {
  const width = Math.max(2, columns - 1);
  const names = candidates.map(({value, isFolder}) =>
    cutTo(
      withoutControls(`${value.slice(value.lastIndexOf('/') + 1) || value}${isFolder ? '/' : ''}`),
      width,
    ),
  );
  const each = Math.min(width, Math.max(1, ...names.map((name) => widthOf(name) + 2)));
  const perRow = Math.max(1, Math.floor(width / each));
  const room = Math.max(1, Math.min(rows - 3, 12));
  const needed = Math.ceil(names.length / perRow);
  const shownRows = needed > room ? room - 1 : needed;
  const lines = Array.from({length: shownRows}, (_, row) =>
    names
      .slice(row * perRow, (row + 1) * perRow)
      .map((name, at, {length}) => (at === length - 1 ? name : name + ' '.repeat(each - widthOf(name))))
      .join(''),
  );
  const left = names.length - shownRows * perRow;
  if (needed > room) lines.push(cutTo(`… ${left} more`, width));
  return lines.map((text) => [{text, style: 'faint' as const}]);
}
