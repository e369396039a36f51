import {withoutControls} from '../../errors.ts';
import {cutTo, widthOf, type Span} from './draw.ts';

export interface Status {
  readonly mode: string;
  /** The backend, or why there is none. */
  readonly sandbox: string;
  /** The operating system enforces the boundary. */
  readonly isEnforced: boolean;
  readonly network: string;
  readonly workspace: string;
  /** Undefined before the first command. */
  readonly exitCode: number | undefined;
  /** The id of the latest refusal. */
  readonly denial: string | undefined;
  readonly stopped: number;
}

const narrowest = 20;

/** A part of the line, in the order in which the parts are shown. */
interface Part {
  /** Parts with a lower number are kept first, as long as they fit. */
  readonly rank: number;
  readonly text: string;
}

/**
 * The status line, as wide as fits. The parts that a user must see stay longest: the mode, a boundary that is weaker than usual,
 * and waiting work. Undefined on a terminal that is too narrow. Names in it come from files and commands, so every control
 * character is escaped. Pure.
 */
export function statusLine(status: Status, columns: number): readonly Span[] | undefined {
  if (columns < narrowest) return undefined;
  const width = columns - 1;
  const parts = partsOf(status, width);
  const kept = new Set<Part>();
  for (const part of parts.toSorted((one, other) => one.rank - other.rank)) {
    const text = joined(parts.filter((one) => kept.has(one) || one === part));
    if (kept.size === 0 || widthOf(text) <= width) kept.add(part);
  }
  return [{text: cutTo(joined(parts.filter((one) => kept.has(one))), width), style: 'status'}];
}

function partsOf(status: Status, width: number): readonly Part[] {
  const {mode, sandbox, isEnforced, network, workspace, exitCode, denial, stopped} = status;
  return [
    {rank: 0, text: mode},
    {rank: isEnforced ? 7 : 1, text: sandbox},
    {rank: network === 'none' ? 6 : 2, text: cutTo(`net ${network}`, Math.max(12, Math.floor(width / 3)))},
    {rank: 8, text: workspace},
    ...(exitCode === undefined ? [] : [{rank: 4, text: `exit ${exitCode}`}]),
    ...(stopped === 0 ? [] : [{rank: 3, text: `${stopped} stopped`}]),
    ...(denial === undefined ? [] : [{rank: 5, text: `denied ${denial} /why`}]),
  ];
}

function joined(parts: readonly Part[]): string {
  return ` ${parts.map(({text}) => withoutControls(text)).join(' · ')} `;
}
