import type {ProjectName} from './projects.ts';

/** One everyday command. It runs outside and inside ion, each time on a fresh project, and both results must be equal. */
export interface Row {
  readonly project: ProjectName;
  readonly mode: 'write' | 'read';
  readonly command: string;
  /** Programs that it needs, besides those of the project. The row is skipped without them. */
  readonly needs?: readonly string[];
  /** ion's config for it, as a user would write it. */
  readonly config?: string;
  /**
   * Why inside differs from outside. Then it must differ: an explanation without a difference fails like a difference
   * without an explanation.
   */
  readonly differs?: string;
  /** The settings in which it differs, if not all. */
  readonly where?: readonly SettingName[];
  /** Parts that differ between two runs outside as well. Only their presence is compared. */
  readonly varies?: readonly ('stdout' | 'stderr' | 'files')[];
  /** Runs only in the whole corpus: it takes long, and other rows test the same behaviour of ion. */
  readonly slow?: true;
}

export type SettingName = 'root' | 'user' | 'root, no namespaces' | 'user, no namespaces';

/** A line of a table: a command, or a command with details. */
export type Line = string | (Omit<Row, 'project' | 'mode'> & {readonly project?: ProjectName});

export function rowsOf(mode: Row['mode'], project: ProjectName, lines: readonly Line[]): Row[] {
  return lines.map((line) => ({mode, project, ...(typeof line === 'string' ? {command: line} : line)}));
}
