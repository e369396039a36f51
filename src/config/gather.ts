import {realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {defaultLayer} from './defaults.ts';
import type {Layer, LayerContent, Restriction} from './layer.ts';
import {readLayers, type FoundLayer} from './layers.ts';
import {findRepositoryTop} from './project.ts';
import {isProject} from './raw.ts';
import type {FileRead} from './read.ts';
import type {Origin, WorkspaceTrust} from './settings.ts';

export interface ConfigRequest {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly flags: ConfigFlags;
  /** `--config`. */
  readonly configFile?: string;
  /** The trust is to be shown: it is looked up also where nothing depends on it. */
  readonly showsTrust?: boolean;
  /** When the caller has looked for it already. */
  readonly repositoryTop?: string | undefined;
}

export interface ConfigFlags {
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
}

/** A config file that exists, parsed; who may loosen is decided later. */
export interface ParsedFile extends FoundLayer, LayerContent {
  readonly file: FileRead;
}

/** All that the disk says, before anything is decided. */
export interface Gathered {
  readonly home: string | undefined;
  /** The folder that trust is about: the repository's top level, else the start folder. Canonical. */
  readonly workspace: string;
  /** Every place that was looked at, highest first. */
  readonly found: readonly FoundLayer[];
  readonly files: readonly ParsedFile[];
}

/** Async only because TOML is parsed by code that is loaded when a file exists. */
export async function gather(request: ConfigRequest): Promise<Gathered> {
  const cwd = canonical(request.cwd);
  const home = homeOf(request.home);
  const workspace = request.repositoryTop ?? findRepositoryTop(cwd) ?? cwd;
  const {configFile} = request;
  const found = readLayers({cwd, home, top: workspace, ...(configFile === undefined ? {} : {configFile})});
  return {home, workspace, found, files: await parseFiles(found, home)};
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

async function parseFiles(found: readonly FoundLayer[], home: string | undefined): Promise<ParsedFile[]> {
  if (!found.some(({file}) => file)) return [];
  const {parseLayer} = await import('./parse-layer.ts');
  return found.flatMap((layer) => {
    const {kind, folder, shown, file} = layer;
    return file ? [{...layer, file, ...parseLayer(file.text, {kind, file: shown, folder, home})}] : [];
  });
}

/** Why a file of the project may only tighten, or undefined when it is trusted. */
export type Untrusted = (file: ParsedFile) => Restriction | undefined;

/** The stack that is merged, highest first. */
export function stackOf(
  {files, home}: Gathered,
  {flags, uid}: Pick<ConfigRequest, 'flags' | 'uid'>,
  untrusted: Untrusted,
): Layer[] {
  const layers = files.map((file): Layer => {
    const {kind, values, document} = file;
    return {kind, values, document, onlyTightens: restriction(file, uid, untrusted)};
  });
  return [flagLayer(flags), ...layers, defaultLayer(home)];
}

export const notTrusted: WorkspaceTrust = {state: 'untrusted', because: 'this workspace is not trusted'};

/** Why a file may only tighten, or undefined when it may say anything. */
export function restriction(file: ParsedFile, uid: number, untrusted: Untrusted): Restriction | undefined {
  if (file.kind === 'config-flag') return undefined;
  const stranger = [file.file.stats.uid, file.file.folderUid].find((owner) => owner !== uid);
  if (stranger !== undefined) {
    return {
      why: `it belongs to uid ${stranger}, not to you`,
      help: 'who owns a config file could change it after you read it',
    };
  }
  if (isProject(file)) return untrusted(file);
  if ((file.file.stats.mode & 0o002) === 0) return undefined;
  return {why: 'it may be written by everyone', help: `chmod o-w ${file.shown}`};
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
