import type {Settings} from '../config/settings.ts';
import {deniedPaths} from '../policy/paths/denied-paths.ts';
import type {Decision, PermissionState, ShellCommand} from '../policy/decision.ts';
import type {Reason} from '../policy/reasons.ts';
import {expandRoots} from '../sandbox/plan/expand-roots.ts';
import type {Root} from '../sandbox/plan/roots.ts';
import type {Protected} from '../sandbox/plan/protected.ts';

export interface PathCheckContext {
  readonly settings: Settings;
  readonly state: PermissionState;
  readonly roots: readonly Root[];
  readonly pins: Protected;
  /** What bash will get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const reasonOf = {
  path: 'path_check',
  protected: 'path_check',
  unclear: 'path_check_unclear',
} as const satisfies Record<string, Reason>;

const help = {
  protected: 'list its name in sandbox.unprotect of ~/.ion/config.toml to allow it',
  path: 'no sandbox of the system is here, so every path named must lie in the roots: "ion doctor" shows what is missing',
  unclear:
    'no sandbox of the system is here, so only what can be read in the command runs: "ion doctor" shows what is missing',
} as const;

/**
 * The last gate where no file sandbox is: what was allowed is denied unless every path that it names lies in the
 * roots, as of now. It only ever makes a decision stricter.
 */
export async function checkNamedPaths(
  decision: Decision,
  {analysis, programs}: ShellCommand,
  {settings, state, roots, pins, environment}: PathCheckContext,
): Promise<Decision> {
  if (decision.effect === 'deny') return decision;
  // Rare: a machine with Landlock or seatbelt never loads it.
  const {checkPaths} = await import('../sandbox/app-level/check-paths.ts');
  const {problem} = checkPaths({
    analysis,
    programs,
    roots: expandRoots(roots),
    pins,
    environment,
    systemProgramFolders: state.systemProgramFolders,
    cwd: state.cwd,
    deniedPaths: deniedPaths(settings.deniedPaths, state.openLinks?.()),
    ...(state.matchesPath ? {matchesPath: state.matchesPath} : {}),
  });
  if (!problem) return decision;
  const reason = reasonOf[problem.kind];
  return {
    ...decision,
    effect: 'deny',
    source: 'capabilities',
    reason,
    hard: true,
    message: `denied: ${problem.what}`,
    help: help[problem.kind],
    ruleRefs: [],
    scope: analysis.text.slice(problem.span.start, problem.span.end),
    span: problem.span,
    trace: [...decision.trace, {stage: 'capabilities', saw: [problem.what], effect: 'deny', reason}],
  };
}
