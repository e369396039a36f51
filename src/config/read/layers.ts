import {realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {foldersUpTo} from './start-folder.ts';
import type {LayerContent} from '../layer.ts';
import {outerRun} from '../outer-config.ts';
import {isProject} from '../raw.ts';
import {problem, readSmallFile, type FileRead} from '../../system/small-file.ts';
import type {LayerKind} from '../settings.ts';

/** A place where a config file may be. */
export interface Candidate {
  readonly kind: LayerKind;
  readonly path: string;
  /** As the user would write it. */
  readonly shown: string;
  /** The folder that relative paths in it start from. Undefined where relative paths have no meaning. */
  readonly folder: string | undefined;
  readonly given?: FileRead;
}

/** A config that was read already: a pipe has its text once, and a session may be opened again. */
export interface GivenConfig {
  /** As the user wrote it. */
  readonly shown: string;
  readonly file: FileRead;
}

export interface FoundLayer extends Candidate {
  readonly file: FileRead | undefined;
}

/** A config file that exists, parsed. Whether it may loosen is decided later. */
export interface ParsedFile extends FoundLayer, LayerContent {
  readonly file: FileRead;
}

export interface WhereToLook {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly configFile?: string | GivenConfig;
  /** ION_CONFIG. */
  readonly environmentFile?: string | undefined;
  /** The file with the workspace's grants, below `~/.ion`. */
  readonly grants?: string | undefined;
  readonly machineConfig?: string | undefined;
  /** See ConfigRequest. */
  readonly outerConfig?: (() => FileRead | undefined) | undefined;
  /** The topmost folder whose `.ion` belongs to the project. Undefined if the project's files are not read. */
  readonly top: string | undefined;
}

/** Looks for every config file, highest first. Parses nothing yet. */
export function readLayers(where: WhereToLook): FoundLayer[] {
  const candidates = [
    ...flagFile(where),
    ...environmentFile(where),
    ...grantsFile(where),
    ...projectFiles(where),
    ...(outerFile(where) ?? userFile(where)),
    ...machineFile(where),
  ];
  const found = candidates.map(read);
  const isOwn = ({kind}: FoundLayer): boolean => ['config-flag', 'user', 'machine'].includes(kind);
  const own = new Set(found.filter((layer) => layer.file && isOwn(layer)).map(identity));
  // A file that the user's own layers name too (by --config or a bind mount) is read only as theirs.
  return found.filter((layer) => !layer.file || !isProject(layer) || !own.has(identity(layer)));
}

function flagFile({cwd, configFile}: WhereToLook): Candidate[] {
  if (configFile === undefined) return [];
  if (typeof configFile === 'object') {
    const {shown, file} = configFile;
    return [{kind: 'config-flag', path: file.realPath, shown, folder: cwd, given: file}];
  }
  if (configFile === '') throw new IonError('--config needs a file name');
  return [{kind: 'config-flag', path: path.resolve(cwd, configFile), shown: configFile, folder: cwd}];
}

/** The files of every `.ion` from here up to the top, except the home folder's own. */
function projectFiles({cwd, top, home}: WhereToLook): Candidate[] {
  if (top === undefined) return [];
  const homes = [home, realFolder(home)];
  const folders = foldersUpTo(cwd, top).filter((folder) => !homes.includes(folder));
  return folders.flatMap((folder): Candidate[] => {
    const place = (kind: LayerKind, name: string): Candidate => {
      const file = `${folder === '/' ? '' : folder}/.ion/${name}`;
      return {kind, path: file, shown: folder === cwd ? `.ion/${name}` : path.relative(cwd, file), folder};
    };
    return [place('project-local', 'config.local.toml'), place('project', 'config.toml')];
  });
}

/** For ion inside ion: the outer run has closed the user's own files, and hands over its settings. */
function outerFile({outerConfig}: WhereToLook): Candidate[] | undefined {
  const given = outerConfig?.();
  return given && [{kind: 'user', path: given.realPath, shown: outerRun, folder: undefined, given}];
}

function userFile({home}: WhereToLook): Candidate[] {
  if (home === undefined) return [];
  const file = path.join(home, '.ion', 'config.toml');
  return [{kind: 'user', path: file, shown: '~/.ion/config.toml', folder: undefined}];
}

function machineFile({machineConfig}: WhereToLook): Candidate[] {
  if (machineConfig === undefined) return [];
  return [{kind: 'machine', path: machineConfig, shown: machineConfig, folder: undefined}];
}

function environmentFile({environmentFile: file}: WhereToLook): Candidate[] {
  if (!file) return [];
  if (!path.isAbsolute(file))
    throw new IonError(`ION_CONFIG is not an absolute path: ${quoted(file)}`, {
      help: 'name the file by its absolute path, or unset ION_CONFIG',
    });
  return [{kind: 'environment', path: path.resolve(file), shown: file, folder: undefined}];
}

function grantsFile({home, grants}: WhereToLook): Candidate[] {
  if (home === undefined || grants === undefined) return [];
  return [
    {kind: 'grants', path: path.join(home, '.ion', grants), shown: `~/.ion/${grants}`, folder: undefined},
  ];
}

function read(candidate: Candidate): FoundLayer {
  const {kind} = candidate;
  const inside = isProject(candidate) ? candidate.folder : undefined;
  const file = candidate.given ?? readSmallFile({...candidate, inside});
  if (file === undefined && (kind === 'config-flag' || kind === 'environment')) {
    const named = kind === 'environment' ? 'an ION_CONFIG' : 'a --config';
    throw problem(candidate, 'does not exist', `${named} must exist: check its path`);
  }
  return {...candidate, file};
}

function realFolder(folder: string | undefined): string | undefined {
  try {
    return folder === undefined ? undefined : realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

function identity({file, path: name}: FoundLayer): string {
  return file ? `${file.stats.dev}:${file.stats.ino}` : name;
}
