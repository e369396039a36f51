import {presets} from 'ion:presets';
import {findRepositoryTop} from '../../config/read/start-folder.ts';
import type {ResolvedConfig} from '../../config/settings.ts';
import {quoted} from '../../errors.ts';
import {existing} from '../../sandbox/machine.ts';
import {planRoots} from '../../sandbox/plan/roots.ts';
import {gatherPlanInputs} from '../../sandbox/plan/plan-inputs.ts';
import {
  noToolchains,
  type PlannedPreset,
  type ToolchainPlan,
} from '../../sandbox/toolchains/plan-toolchains.ts';
import type {Host} from '../../session/host.ts';
import {toolchainsHere} from '../../sandbox/toolchains/toolchains-here.ts';

/** The effects of the presets on a run that would start here. Creates nothing. */
export function toolchainsOf(config: ResolvedConfig, host: Host): ToolchainPlan {
  if (config.settings.sandbox.value === false) return noToolchains;
  const {environment} = host;
  const inputs = gatherPlanInputs({
    ...host,
    repositoryTop: findRepositoryTop(host.cwd),
  });
  const writeRoots = planRoots(config.settings, inputs)
    .filter(({grant}) => grant === 'write')
    .map(({path}) => path);
  return toolchainsHere({
    config,
    inputs,
    environment,
    uid: host.uid,
    writeRoots,
    exist: (paths) => existing({native: undefined}, paths),
    create: false,
  });
}

/** The presets as comments, because the rest of `ion config`'s output is TOML. */
export function toolchainLines({cache, presets: planned}: ToolchainPlan): string[] {
  if (planned.length === 0) return ['', '# toolchains here: none'];
  return ['', `# toolchains here, with caches in ${shown(cache.path ?? `no folder: ${cache.why}`)}:`].concat(
    planned.flatMap((preset) => [
      `#   ${preset.name}: ${shown(preset.because)}`,
      ...preset.variables.map(
        ({name, value, behind, reason, instead}) =>
          `#     ${name} = ${behind === '' ? '' : '(your own) '}${quoted(value, 4096)}  (${reason}${instead === undefined ? '' : `; instead of ${quoted(instead, 4096)}`})`,
      ),
      ...preset.reads.map(({path, reason}) => `#     reads ${quoted(path, 4096)}  (${reason})`),
      ...preset.notes.map((note) => `#     ${shown(note)}`),
      ...closedOf(preset).map(({path, reason}) => `#     never ${path}  (${reason})`),
    ]),
  );
}

export function toolchainJson({cache, presets: planned}: ToolchainPlan): unknown {
  return {
    cache: cache.path ?? null,
    no_cache_because: cache.why ?? null,
    presets: planned.map((preset) => ({
      ...preset,
      variables: preset.variables.map(({name, value, behind, reason, instead}) => ({
        name,
        value,
        behind_your_own: behind !== '',
        reason,
        instead: instead ?? null,
      })),
      closed: closedOf(preset),
    })),
  };
}

function closedOf({name}: PlannedPreset): readonly {readonly path: string; readonly reason: string}[] {
  return presets.find((preset) => preset.name === name)?.closed ?? [];
}

/** A folder's name may hold any characters. In a comment it must not start a new line. */
function shown(text: string): string {
  return quoted(text, 4096).slice(1, -1);
}
