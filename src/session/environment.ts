import type {Settings} from '../config/settings.ts';
import {scrubEnvironment, type Environment} from '../sandbox/environment.ts';
import type {ToolchainPlan} from '../sandbox/toolchains/plan.ts';
import {safeEnvironment} from '../shell/read-environment.ts';
import type {Host} from './context.ts';

/**
 * The environment of commands: without secrets, and in read mode without what makes a reader run something. What the config
 * sets stands above what a toolchain's preset sets.
 */
export function commandEnvironment(
  {environment: all}: Pick<Host, 'environment'>,
  {environment: rules, mode}: Settings,
  {presets}: ToolchainPlan,
): Environment {
  const reads = mode.value === 'read';
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
    exclude: rules.exclude.map(({value}) => value),
    keep: rules.keep.map(({value}) => value),
    set: reads ? {} : set,
  });
  if (!reads) return scrubbed;
  const neutral = scrubEnvironment(scrubbed.variables, {
    exclude: safeEnvironment.drop,
    keep: [],
    set: {...set, ...safeEnvironment.set},
  });
  const searchPath = (neutral.variables['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return {
    variables: {...neutral.variables, PATH: searchPath.join(':')},
    removed: [...scrubbed.removed, ...neutral.removed].sort(),
  };
}
