import {existsSync} from 'node:fs';
import {presets} from 'ion:presets';
import type {ResolvedConfig} from '../../config/settings.ts';
import {IonError, quoted} from '../../errors.ts';
import {locationOf} from '../../config/read/origin.ts';
import type {PlanInputs} from '../plan/roots.ts';
import {findPresets} from './find-presets.ts';
import {cacheFolder} from './cache-folder.ts';
import {noToolchains, planToolchains, type ToolchainPlan} from './plan-toolchains.ts';
import {realpathIfThere} from '../../system/real-path.ts';

export interface ToolchainPlace {
  readonly config: Pick<ResolvedConfig, 'settings' | 'workspace'>;
  readonly inputs: Pick<PlanInputs, 'cwd' | 'repositoryTop' | 'home'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly writeRoots: readonly string[];
  readonly exist: (paths: readonly string[]) => readonly boolean[];
  /** True if ion may create the workspace's cache folder. */
  readonly create: boolean;
}

/** The presets of this place. In read mode nothing is built, installed or fetched: none. */
export function toolchainsHere(place: ToolchainPlace): ToolchainPlan {
  const {config, inputs, environment} = place;
  const {settings, workspace} = config;
  checkNames(settings.toolchains);
  if (settings.mode.value === 'read') return noToolchains;
  const {cwd, repositoryTop, home} = inputs;
  const tops = repositoryTop === undefined || repositoryTop === cwd ? [cwd] : [cwd, repositoryTop];
  const found = findPresets({
    wanted: settings.toolchains.value,
    presets,
    tops,
    searchPath: environment['PATH'] ?? '',
    exist: place.exist,
  });
  if (found.length === 0 || home === undefined) return noToolchains;
  // All are canonical, except those of the config. A link in them must not hide that it leads to the caches.
  const writeRoots = [
    ...place.writeRoots,
    ...settings.writeRoots.flatMap(({value}) => realpathIfThere(value)),
  ];
  return planToolchains({
    found,
    cache: cacheFolder({...place, home, workspace, writeRoots}),
    home,
    tops,
    environment,
    network: settings.network.value,
    writeRoots,
    exists: existsSync,
  });
}

function checkNames({value, origin}: ResolvedConfig['settings']['toolchains']): void {
  if (value === 'auto') return;
  const names = presets.map(({name}) => name);
  const unknown = value.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new IonError(`sandbox.toolchains names an unknown toolchain: ${quoted(unknown)}`, {
    at: locationOf(origin),
    help: `toolchains: ${names.join(', ')}`,
  });
}
