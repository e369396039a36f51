import type {DeniedPath} from '../../policy/paths/denied-paths.ts';
import type {PathMatcher} from '../../policy/decision.ts';
import type {Analysis, Span} from '../../shell/analysis.ts';
import type {Root} from '../plan/roots.ts';
import type {Protected} from '../plan/protected.ts';
import type {MayUse} from './access.ts';
import type {Resolver} from './resolver.ts';

export interface PathCheckInput {
  readonly analysis: Analysis;
  /** The programs named in the command → the real file that PATH resolves them to, or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  readonly systemProgramFolders: readonly string[];
  readonly roots: readonly Root[];
  readonly pins: Protected;
  /** Canonical. */
  readonly cwd: string;
  /** What bash will get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly deniedPaths?: readonly DeniedPath[];
  readonly matchesPath?: PathMatcher;
}

export interface PathProblem {
  /** `path`: it lies outside; `protected`: an auto-run file; `unclear`: nobody can say where it lies. */
  readonly kind: 'path' | 'protected' | 'unclear';
  /** What happened, for `ion: denied: …`. */
  readonly what: string;
  readonly span: Span;
}

/** What one check works with. */
export interface Context extends PathCheckInput {
  readonly resolver: Resolver;
  /** Absolute folders in which a relative path may be opened. */
  readonly folders: readonly string[];
  readonly mayUse: MayUse;
  /** How many paths may still be looked at: words × folders × parts. */
  readonly budget: {left: number};
}
