import {closeSync} from 'node:fs';
import type {HookEvent} from '../../config/settings.ts';
import type {RunPlan} from '../run-plan.ts';
import type {HookContext} from './hook-context.ts';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch, SpawnHook} from './run-hooks.ts';
import {start} from '../start.ts';

export interface HookRunner {
  /**
   * Returns what starts the hooks of an event. Throws an IonError (125) if one of them would run a file that a run or
   * a project can write. Before a command, this checks every hook.
   */
  readonly spawner: (event: HookEvent) => Promise<SpawnHook>;
  readonly close: () => void;
}

/**
 * Hooks have a boundary, a PATH and an environment of their own, made when the first one runs. Those of hooks that
 * guard are narrower.
 */
export function openHookRunner(session: RunPlan): HookRunner {
  const opened = new Map<boolean, Promise<HookContext>>();
  return {
    async spawner(event) {
      const guards = event === 'PreToolUse';
      const {openHookContext} = await import('./hook-context.ts');
      const {plan, folders} = await (opened.get(guards) ??
        opened.set(guards, openHookContext(session, guards)).get(guards)!);
      const {guardsOrLeaves, refuseHookPrograms, refusePlaceholders} = await import('./hook-programs.ts');
      const place = {
        folders: folders.folders,
        searchPath: plan.environment.variables['PATH']!,
        cwd: plan.host.cwd,
        home: folders.home ?? '/nonexistent',
      };
      // Checks all hooks before the command, because after it a refusal would come too late.
      const watched = session.settings.hooks.filter((hook) => guards || hook.event === event);
      for (const hook of watched) refusePlaceholders(hook);
      for (const hook of watched.filter(guardsOrLeaves)) refuseHookPrograms(hook, place);
      return (launch) => spawnHook(launch, plan, session);
    },
    close() {
      for (const one of opened.values()) void one.then(closeRuleset, () => undefined);
    },
  };
}

function closeRuleset({plan: {ruleset}}: HookContext): void {
  if (ruleset !== undefined && ruleset !== -1) closeSync(ruleset);
}

async function spawnHook(launch: HookLaunch, plan: RunPlan, {ending}: RunPlan): Promise<HookEnd> {
  const {bash, spawnUnsandboxed, collectHook} = await import('./hook-process.ts');
  const {environment, host, machine} = plan;
  // After a signal, ion starts no further hook.
  if (ending.isEnding()) throw new Error('ion is ending');
  if (!launch.sandbox) {
    let kill = (): void => undefined;
    const place = {bash: bash(plan), cwd: host.cwd, environment: environment.variables};
    const ended = spawnUnsandboxed(launch, {...place, onStart: (killGroup) => (kill = killGroup)});
    return ending.during(() => kill(), ended);
  }
  const running = await start(plan, launch.command, {
    stdio: ['pipe', 'pipe', 'pipe'],
    environment: launch.environment,
    timeoutMs: launch.timeoutMs,
  });
  // The launcher kills a tree that does not end by SIGTERM. Without a launcher nothing would, once ion is gone.
  const end = (): void => running.signal(machine.native ? 'SIGTERM' : 'SIGKILL');
  return ending.during(end, collectHook(running, launch));
}
