import type {Settings} from '../config/settings.ts';
import {deniedPaths} from '../policy/paths/denied-paths.ts';
import type {Decision, PermissionState, ShellCommand} from '../policy/decision.ts';
import type {Reason} from '../policy/reasons.ts';
import {expandRoots} from '../sandbox/plan/expand-roots.ts';
import type {Root} from '../sandbox/plan/roots.ts';
import type {ProtectedFiles} from '../sandbox/plan/protected.ts';
import {messageFor} from './report/message-for.ts';

export interface PathCheckContext {
  readonly settings: Settings;
  readonly state: PermissionState;
  readonly roots: readonly Root[];
  readonly protectedFiles: ProtectedFiles;
  /** The environment that bash will get. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const reasonOf = {
  path: 'path_check',
  protected: 'path_check',
  unclear: 'path_check_unclear',
} as const satisfies Record<string, Reason>;

/**
 * The last check where there is no file sandbox: denies an allowed command unless every path that it names is inside
 * the roots at this moment. It only makes decisions stricter.
 */
export async function checkNamedPaths(
  decision: Decision,
  {analysis, programs}: ShellCommand,
  {settings, state, roots, protectedFiles, environment}: PathCheckContext,
): Promise<Decision> {
  if (decision.effect === 'deny') return decision;
  // Loaded on demand: a machine with Landlock or seatbelt never needs it.
  const {checkPaths} = await import('../sandbox/app-level/check-paths.ts');
  const {problem} = checkPaths({
    analysis,
    programs,
    roots: expandRoots(roots),
    protectedFiles,
    environment,
    systemProgramFolders: state.systemProgramFolders,
    cwd: state.cwd,
    deniedPaths: deniedPaths(settings.deniedPaths, state.openLinks?.()),
    ...(state.matchesPath ? {matchesPath: state.matchesPath} : {}),
  });
  if (!problem) return decision;
  const {text, help} = messageFor({kind: 'path-check', problem, settings, home: state.home});
  const reason = reasonOf[problem.kind];
  return {
    ...decision,
    effect: 'deny',
    source: 'capabilities',
    reason,
    hard: true,
    message: text,
    ...(help === undefined ? {} : {help}),
    ruleRefs: [],
    scope: analysis.text.slice(problem.span.start, problem.span.end),
    span: problem.span,
    trace: [...decision.trace, {stage: 'capabilities', saw: [problem.what], effect: 'deny', reason}],
  };
}
