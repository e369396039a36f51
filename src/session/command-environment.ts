import type {Settings} from '../config/settings.ts';
import {boundaryOf} from '../sandbox/boundary.ts';
import {scrubEnvironment, type Environment} from '../sandbox/plan/scrub-environment.ts';
import type {ToolchainPlan} from '../sandbox/toolchains/plan-toolchains.ts';
import {safeEnvironment} from '../shell/read-mode/read-environment.ts';
import type {Host} from './host.ts';

/**
 * A PATH for when it is unset or empty. Then bash and git would look for programs in the current folder: Debian's
 * bash has `.` in its own default.
 */
export const plainPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Without this, `git status` would write what it learned into the index. */
const unlocked = {GIT_OPTIONAL_LOCKS: '0'};

/**
 * The environment of commands: without secrets, and in read mode without variables that make a reader run something.
 * Variables of the config override those of a toolchain's preset.
 */
export function commandEnvironment(
  {environment: all}: Pick<Host, 'environment'>,
  settings: Settings,
  {presets}: ToolchainPlan,
): Environment {
  const {environment: rules} = settings;
  const boundary = boundaryOf(settings);
  const reads = boundary === 'read';
  const variables = presets.flatMap((preset) => preset.variables);
  const spellings = variables.flatMap((variable) => variable.spellings);
  const environment =
    spellings.length === 0
      ? all
      : Object.fromEntries(Object.entries(all).filter(([name]) => !spellings.includes(name)));
  const set = Object.fromEntries([
    ...variables.map(({name, value, behind}) => [name, behind + value] as const),
    ...Object.entries(rules.set).map(([name, {value}]) => [name, value] as const),
  ]);
  const scrubbed = scrubEnvironment(environment, {
    exclude: rules.exclude.filter(({trusted}) => trusted !== false).map(({value}) => value),
    excludeSecrets: rules.exclude.filter(({trusted}) => trusted === false).map(({value}) => value),
    keep: rules.keep.map(({value}) => value),
    set: reads ? {} : {...(boundary === 'write' ? {} : unlocked), ...set},
  });
  if (!reads) return withPath(scrubbed, scrubbed.variables['PATH']);
  // Variables of the config come last, except for those that read mode sets.
  const neutral = readerEnvironment(scrubbed.variables, set);
  return {...neutral, removed: [...scrubbed.removed, ...neutral.removed].sort()};
}

/** Drops variables that make a reading program run another, and relative folders on PATH. */
export function readerEnvironment(
  variables: Environment['variables'],
  set: Readonly<Record<string, string>> = {},
): Environment {
  const neutral = scrubEnvironment(variables, {
    exclude: safeEnvironment.drop,
    keep: [],
    set: {...set, ...safeEnvironment.set},
  });
  const searchPath = (neutral.variables['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return withPath(neutral, searchPath.join(':'));
}

function withPath({variables, removed}: Environment, searchPath: string | undefined): Environment {
  return {variables: {...variables, PATH: searchPath || plainPath}, removed};
}
