import {quoted} from '../errors.ts';
import type {Action, Decided, Decision, PermissionState} from '../policy/decision.ts';
import {isWithin} from '../system/is-within.ts';
import type {RunPlan} from './run-plan.ts';

/** The actions that policy allows and the sandbox would refuse. */
export function refusedNames({paths}: Action, {roots, protectedFiles, sandboxed}: RunPlan): string[] {
  if (!sandboxed) return [];
  return paths.flatMap(({requested, resolved, access}) => {
    const grants = roots.filter(({path}) => isWithin(resolved, path)).map(({grant}) => grant);
    if (access === 'read' ? grants.length === 0 : !grants.includes('write')) {
      const which = access === 'read' ? 'read' : 'write';
      return [`${quoted(requested)} is outside the ${which} roots: the sandbox refuses it`];
    }
    const isProtected = [...protectedFiles.existing, ...protectedFiles.absent].some((pin) =>
      isWithin(resolved, pin),
    );
    if (access === 'read' || !isProtected) return [];
    return [
      `${quoted(requested)} is protected, because programs outside the sandbox run or read it: the sandbox refuses it`,
    ];
  });
}

/** Without a file sandbox, every path that the command names must be inside the roots. */
export async function withPathCheck(
  plan: RunPlan,
  state: PermissionState,
  decided: Decided,
): Promise<Decided> {
  const {command} = decided.action;
  const hasFileSandbox = plan.backend !== 'app-level' && plan.backend !== 'seccomp-only';
  if (hasFileSandbox || !command) return decided;
  const {checkNamedPaths} = await import('./path-check.ts');
  const {settings, roots, protectedFiles, environment} = plan;
  const checked: Decision = await checkNamedPaths(decided.decision, command, {
    settings,
    state,
    roots,
    protectedFiles,
    environment: environment.variables,
  });
  return checked === decided.decision ? decided : {...decided, decision: checked};
}
