import {closeSync} from 'node:fs';
import type {Hook} from '../config/settings.ts';
import type {Context} from './context.ts';
import type {HookContext} from './hook-context.ts';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch, SpawnHook} from './hooks.ts';
import {start} from './start.ts';

export interface HookRunner {
  /** What starts hooks. Throws an IonError (125) when one of the `watched` would run what a run or a project can write. */
  readonly spawner: (watched: (hook: Hook) => boolean) => Promise<SpawnHook>;
  readonly close: () => void;
}

/** Hooks have a boundary, a PATH and an environment of their own, made for the first of them. */
export function openHookRunner(session: Context): HookRunner {
  let opened: Promise<HookContext> | undefined;
  return {
    async spawner(watched) {
      const {openHookContext} = await import('./hook-context.ts');
      const {context, folders} = await (opened ??= openHookContext(session));
      const {guardsOrLeaves, refuseHookPrograms} = await import('./hook-programs.ts');
      const place = {
        folders: folders.folders,
        searchPath: context.environment.variables['PATH']!,
        cwd: context.host.cwd,
        home: folders.home ?? '/nonexistent',
      };
      for (const hook of session.settings.hooks.filter((one) => guardsOrLeaves(one) && watched(one)))
        refuseHookPrograms(hook, place);
      return (launch) => spawnHook(launch, context, session);
    },
    close() {
      void opened?.then(
        ({context: {ruleset}}) => ruleset !== undefined && ruleset !== -1 && closeSync(ruleset),
        () => undefined, // it was never opened
      );
    },
  };
}

async function spawnHook(launch: HookLaunch, context: Context, {ending}: Context): Promise<HookEnd> {
  const {bash, spawnUnsandboxed, collectHook} = await import('./hook-process.ts');
  const {environment, host, machine} = context;
  // A signal has ended the hook before this one.
  if (ending.isEnding()) throw new Error('ion is ending');
  if (!launch.sandbox) {
    let kill = (): void => undefined;
    const place = {bash: bash(context), cwd: host.cwd, environment: environment.variables};
    const ended = spawnUnsandboxed(launch, {...place, onStart: (killGroup) => (kill = killGroup)});
    return ending.during(() => kill(), ended);
  }
  const running = await start(context, launch.command, {
    stdio: ['pipe', 'pipe', 'pipe'],
    environment: launch.environment,
    timeoutMs: launch.timeoutMs,
  });
  // The launcher kills what does not end by it. Where there is none, nothing does once ion is gone.
  const end = (): void => running.signal(machine.native ? 'SIGTERM' : 'SIGKILL');
  return ending.during(end, collectHook(running, launch));
}
