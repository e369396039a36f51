import {withoutControls} from '../../errors.ts';
import {cutTo, widthOf, type Span} from './draw.ts';

export interface Status {
  readonly mode: string;
  /** The backend, or why there is none. */
  readonly sandbox: string;
  readonly network: string;
  readonly workspace: string;
  /** Undefined before the first command. */
  readonly exitCode: number | undefined;
  /** The id of the latest refusal. */
  readonly denial: string | undefined;
  readonly stopped: number;
}

const narrowest = 20;

/**
 * The status line, as wide as fits: parts that matter less are left out first. Undefined on a terminal that is too narrow. Names
 * in it come from files and commands, so every control character is escaped. Pure.
 */
export function statusLine(status: Status, columns: number): readonly Span[] | undefined {
  if (columns < narrowest) return undefined;
  const width = columns - 1;
  const {mode, sandbox, network, workspace, exitCode, denial, stopped} = status;
  // The first one is left out last.
  const parts: readonly (readonly [importance: number, text: string])[] = [
    [0, mode],
    [3, sandbox],
    [2, `net ${network}`],
    [6, workspace],
    ...(exitCode === undefined ? [] : [[1, `exit ${exitCode}`] as const]),
    ...(stopped === 0 ? [] : [[4, `${stopped} stopped`] as const]),
    ...(denial === undefined ? [] : [[5, `denied ${denial} /why`] as const]),
  ];
  for (let most = parts.length; most >= 0; most--) {
    const text = ` ${parts
      .filter(([importance]) => importance <= most)
      .map(([, part]) => withoutControls(part))
      .join(' · ')} `;
    if (widthOf(text) <= width || most === 0) return [{text: cutTo(text, width), style: 'status'}];
  }
  return undefined;
}
