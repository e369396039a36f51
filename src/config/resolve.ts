import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {defaultLayer} from './defaults.ts';
import type {ResolvedValues} from './keys.ts';
import type {Layer} from './layer.ts';
import {readLayers, type FoundLayer} from './layers.ts';
import {merge, settingsOf} from './merge.ts';
import {placeOf} from './origin.ts';
import {findRepositoryTop} from './project.ts';
import {isProject} from './raw.ts';
import type {FileRead} from './read.ts';
import type {Origin, ResolvedConfig, WorkspaceTrust} from './settings.ts';

export interface ConfigRequest {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly flags: ConfigFlags;
  /** `--config`. */
  readonly configFile?: string;
  /** When the caller has looked for it already. */
  readonly repositoryTop?: string | undefined;
}

export interface ConfigFlags {
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
}

/** What the layers say, with the values in the form of the config file's keys as well. */
export interface ResolvedConfigWithValues extends ResolvedConfig {
  readonly values: ResolvedValues;
}

/** Read every layer and join them. Async only because TOML is parsed by code that is loaded when a file exists. */
export async function resolveConfig(request: ConfigRequest): Promise<ResolvedConfigWithValues> {
  const cwd = canonical(request.cwd);
  const home = homeOf(request.home);
  const workspace = request.repositoryTop ?? findRepositoryTop(cwd) ?? cwd;
  const {configFile} = request;
  const found = readLayers({cwd, home, top: workspace, ...(configFile === undefined ? {} : {configFile})});
  const trust: WorkspaceTrust = {state: 'untrusted', because: 'this workspace is not trusted'};
  const files = await parse(found, (layer) => restriction(layer, trust, request.uid), home);
  const {values, ignored} = merge([flagLayer(request.flags), ...files, defaultLayer(home)]);
  checkFrame(values);
  return {settings: settingsOf(values), values, ignored, workspace, trust, layers: describe(found, files)};
}

function canonical(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch (cause) {
    throw new IonError(`the current folder ${quoted(cwd)} does not exist`, {
      help: 'cd to one that does',
      cause,
    });
  }
}

function homeOf(home: string | undefined): string | undefined {
  if (home === undefined || home === '') return undefined;
  if (!path.isAbsolute(home)) throw new IonError(`HOME is not an absolute path: ${quoted(home)}`);
  return path.resolve(home);
}

interface ParsedLayer extends Layer {
  readonly found: FoundLayer;
}

type Present = FoundLayer & {readonly file: FileRead};

async function parse(
  found: readonly FoundLayer[],
  restrictionOf: (layer: Present) => string | undefined,
  home: string | undefined,
): Promise<ParsedLayer[]> {
  const present = found.filter((layer): layer is Present => layer.file !== undefined);
  if (present.length === 0) return [];
  const {parseLayer} = await import('./layer.ts');
  return present.map((layer) => {
    const {kind, folder, shown, file} = layer;
    const content = parseLayer(file.text, {kind, file: shown, folder, home});
    return {...content, kind, onlyTightens: restrictionOf(layer), found: layer};
  });
}

/** Why a layer may only tighten, or undefined when it may say anything. */
function restriction(layer: Present, trust: WorkspaceTrust, uid: number): string | undefined {
  if (layer.kind === 'config-flag') return undefined;
  // Who owns the folder can put another file in the place of this one.
  const owners = [layer.file.stats.uid, statSync(path.dirname(layer.path)).uid];
  const stranger = owners.find((owner) => owner !== uid);
  if (stranger !== undefined) return `it belongs to uid ${stranger}, not to you`;
  if (isProject(layer)) return trust.state === 'trusted' ? undefined : trust.because;
  return layer.file.stats.mode & 0o002 ? 'it may be written by everyone' : undefined;
}

function flagLayer({read, noSandbox, timeoutMs}: ConfigFlags): Layer {
  const origin: Origin = {layer: 'flag'};
  const values = {
    ...(read ? {'permissions.mode': {value: 'read' as const, origin}} : {}),
    ...(noSandbox ? {'permissions.sandbox': {value: false, origin}} : {}),
    ...(timeoutMs === undefined ? {} : {'sandbox.limits.timeout': {value: timeoutMs, origin}}),
  };
  return {kind: 'flag', values, document: undefined, onlyTightens: undefined};
}

/** Frames and the active one may come from different layers: only now is it known whether it exists. */
function checkFrame(values: ResolvedValues): void {
  const {value, origin} = values['permissions.frame'];
  if (value === '' || Object.hasOwn(values.frames, value)) return;
  const names = Object.keys(values.frames);
  throw new IonError(`permissions.frame names no frame: ${quoted(value)}`, {
    at: placeOf(origin),
    help:
      names.length === 0
        ? 'name its folder in [frames]'
        : `frames: ${names.map((name) => quoted(name)).join(', ')}`,
  });
}

function describe(found: readonly FoundLayer[], parsed: readonly ParsedLayer[]): ResolvedConfig['layers'] {
  return found.map((layer) => {
    const as = parsed.find((one) => one.found === layer);
    return {
      origin: {layer: layer.kind, file: layer.shown},
      present: as !== undefined,
      trusted: as !== undefined && as.onlyTightens === undefined,
    };
  });
}
