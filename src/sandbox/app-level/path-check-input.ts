import type {DeniedPath} from '../../policy/paths/denied-paths.ts';
import type {PathMatcher} from '../../policy/decision.ts';
import type {Analysis, Span} from '../../shell/analysis.ts';
import type {Root} from '../plan/roots.ts';
import type {ProtectedFiles} from '../plan/protected.ts';
import type {MayUse} from './access.ts';
import type {Resolver} from './resolver.ts';

export interface PathCheckInput {
  readonly analysis: Analysis;
  /** The programs named in the command → the real file that PATH resolves each to, or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  readonly systemProgramFolders: readonly string[];
  readonly roots: readonly Root[];
  readonly protectedFiles: ProtectedFiles;
  /** Canonical. */
  readonly cwd: string;
  /** The environment that bash will get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly deniedPaths?: readonly DeniedPath[];
  readonly matchesPath?: PathMatcher;
}

export interface PathProblem {
  /** `path`: outside the roots; `protected`: an auto-run file; `unclear`: ion cannot tell which path it is. */
  readonly kind: 'path' | 'protected' | 'unclear';
  /** The text after `ion: denied:`. */
  readonly what: string;
  /** The path that a setting would open: outside the roots, or protected. */
  readonly closed?: {readonly path: string; readonly access: 'read' | 'write'};
  readonly span: Span;
}

/** The inputs of one check. */
export interface Context extends PathCheckInput {
  readonly resolver: Resolver;
  /** Absolute folders in which a relative path may be opened. */
  readonly folders: readonly string[];
  readonly mayUse: MayUse;
  /** How many more paths the check may look up: words × folders × parts. */
  readonly budget: {left: number};
}
