import {IonError, quoted} from '../../errors.ts';
import type {Key, ResolvedValues} from '../../config/keys.ts';
import {nearest} from '../../system/nearest.ts';
import {shownOrigin} from '../../config/read/origin.ts';
import {resolveConfig, type ConfigRequest, type ResolvedConfigWithValues} from '../../config/read/resolve.ts';
import {schema} from '../../config/schema.ts';
import {noToolchains} from '../../sandbox/toolchains/plan-toolchains.ts';
import type {Host} from '../../session/host.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {renderValues, type Shown} from './config-text.ts';
import {toolchainJson, toolchainLines, toolchainsOf} from './config-toolchains.ts';
import {asJson, printed, type CliResult} from '../result.ts';

export interface ConfigOptions {
  readonly json: boolean;
  /** Show every value, defaults and toolchains included. Otherwise it shows only the values that differ from the defaults. */
  readonly all?: boolean;
  /** One key, or a table of keys (`sandbox.limits`). */
  readonly key?: string;
}

/** `ion config`: the resolved config, each value with the layer that it came from. */
export async function runConfig(
  request: ConfigRequest,
  options: ConfigOptions,
  host?: Host,
): Promise<CliResult> {
  const config = await resolveConfig({...request, showsTrust: true});
  const values = withoutSecrets(config.values);
  if (options.key !== undefined) return showKey(values, options.key, options.json);
  if (options.json) {
    const toolchains = host ? toolchainsOf(config, host) : noToolchains;
    return asJson({...jsonOf(config, values), toolchains: toolchainJson(toolchains)});
  }
  if (!options.all) return printed(lines([...headOf(config), ...differing(values)]));
  const last = host ? toolchainLines(toolchainsOf(config, host)) : [];
  return printed(lines([...headOf(config), ...renderValues(values, everything), ...last]));
}

const everything: Shown = {key: () => true, origin: () => true};

function differing(values: ResolvedValues): string[] {
  const shown = renderValues(values, {key: () => true, origin: ({layer}) => layer !== 'default'});
  const note = shown.length === 0 ? 'every value is the default' : 'every other value is the default';
  return [...shown, '', `# ${note}: "ion config --all" shows them`];
}

function showKey(values: ResolvedValues, key: string, json: boolean): CliResult {
  const chosen = (one: string): boolean => one === key || one.startsWith(`${key}.`);
  const keys = (Object.keys(schema) as Key[]).filter(chosen);
  if (keys.length === 0) {
    const all = Object.keys(schema);
    const meant = all.find((one) => one.endsWith(`.${key}`)) ?? nearest(key, all);
    throw new IonError(`there is no key ${quoted(key)}`, {
      help: meant === undefined ? '"ion config --all" shows every key' : `did you mean: ion config ${meant}`,
    });
  }
  if (json) return asJson(Object.fromEntries(keys.map((one) => [one, values[one] ?? null])));
  const shown = renderValues(values, {key: chosen, origin: () => true});
  return printed(lines(shown.length === 0 ? [`# ${key} is not set`] : shown.slice(1)));
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

/** Hides the values of variables whose names the config itself treats as secret. */
function withoutSecrets(values: ResolvedValues): ResolvedValues {
  const secret = values['environment.exclude'].map(({value}) => value.toUpperCase());
  const shown = Object.entries(values['environment.set']).map(([name, {value, origin}]) => {
    const isSecret = secret.some((glob) => matchGlob(glob, name.toUpperCase()));
    return [name, {value: isSecret ? '(not shown)' : value, origin}];
  });
  return {...values, 'environment.set': Object.fromEntries(shown)};
}

function jsonOf(
  {workspace, trust, layers, ignored}: ResolvedConfigWithValues,
  values: ResolvedValues,
): object {
  return {schema: 1, workspace, trust, layers, values, ignored};
}

/** The sources of the values, as comments. */
function headOf({workspace, trust, layers, ignored}: ResolvedConfigWithValues): string[] {
  return [
    `# workspace ${quoted(workspace, 4096)}: ${trust.state}${trust.state === 'trusted' ? ` (${trust.because})` : ''}`,
    '# layers, highest first:',
    ...layers.map(({origin, present, trusted}) => {
      const state = present ? (trusted ? 'read' : 'read; it may only tighten') : 'absent';
      return `#   ${shownOrigin(origin)}: ${state}`;
    }),
    ...ignored.map(
      ({key, value, origin, why}) => `# ignored: ${key} = ${value} (${why}; ${shownOrigin(origin)})`,
    ),
  ];
}
