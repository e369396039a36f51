import type {ProjectName} from './projects.ts';

/** One everyday command, run outside and inside of ion on a project of its own; both have to come to the same. */
export interface Row {
  readonly project: ProjectName;
  readonly mode: 'write' | 'read';
  readonly command: string;
  /** Programs without which there is nothing to compare, beyond those of the project. */
  readonly needs?: readonly string[];
  /** ion's config for it, as its user would write it. */
  readonly config?: string;
  /** Why inside is not as outside. Then it must differ: an explanation of nothing fails like a difference without one. */
  readonly differs?: string;
  /** Where it differs, when not everywhere. */
  readonly where?: readonly SettingName[];
  /** What is not the same twice outside either: of this only the presence is compared. */
  readonly varies?: readonly ('stdout' | 'stderr' | 'files')[];
  /** Runs in the whole corpus only: it takes long, and others try the same of ion. */
  readonly slow?: true;
}

export type SettingName = 'root' | 'user' | 'root, no namespaces' | 'user, no namespaces';

/** A line of a table: a command, or one about which there is more to say. */
export type Line = string | (Omit<Row, 'project' | 'mode'> & {readonly project?: ProjectName});

export function rowsOf(mode: Row['mode'], project: ProjectName, lines: readonly Line[]): Row[] {
  return lines.map((line) => ({mode, project, ...(typeof line === 'string' ? {command: line} : line)}));
}
