import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {isUsersOwn} from '../../shell/paths.ts';
import {defaultLayer} from '../defaults.ts';
import type {Layer, LayerContent} from '../layer.ts';
import type {Content, Surrounding} from './expand-all.ts';
import {readLayers, type FoundLayer, type GivenConfig, type ParsedFile} from './layers.ts';
import {lockOf, whyBound} from '../loosening.ts';
import {findRepositoryTop} from './start-folder.ts';
import {restriction, trustedEnvironment, type Untrusted} from './restriction.ts';
import type {SetContent} from './set-layer.ts';
import type {Lock, Origin} from '../settings.ts';
import {tempFolders, writeRootsIn} from './writable-folders.ts';
import type {FileRead} from '../../system/small-file.ts';
import {realpathOrSame} from '../../system/real-path.ts';

export interface ConfigRequest {
  readonly cwd: string;
  readonly home: string | undefined;
  /** Other homes of the user: their secrets are denied too. */
  readonly otherHomes?: readonly string[];
  /** `/etc/ion/config.toml`. */
  readonly machineConfig?: string | undefined;
  /** The settings of the run around this process, if there is one: they take the place of the user's own config. */
  readonly outerConfig?: () => FileRead | undefined;
  /** Set for `ion run`: whether it has a controlling terminal. ION_TRUST_PROJECT works only without one. */
  readonly runs?: 'headless' | 'at a terminal';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly flags: ConfigFlags;
  /** `--config`. */
  readonly configFile?: string | GivenConfig;
  /** `--set`, as given. */
  readonly sets?: readonly string[];
  /** Like `sets`, but as tables (settings-object.ts). */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** False: the config files of the user, the project and ION_CONFIG are not read. */
  readonly layers?: boolean;
  /** Look up the trust even if nothing depends on it, because the caller shows it. */
  readonly showsTrust?: boolean;
  /** The MCP server whose sections `[mcp.<name>]` count. */
  readonly mcpServer?: string | undefined;
  /** A project that is not trusted chose the server's command, and its name: the sections for this name only tighten. */
  readonly mcpServerOfProject?: boolean | undefined;
  /** Given when the caller has already found it. */
  readonly repositoryTop?: string | undefined;
}

export interface ConfigFlags {
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
}

/** Everything that is read from the disk, before any decision. */
export interface Gathered {
  readonly home: string | undefined;
  readonly homes: readonly string[];
  readonly lock: Lock | undefined;
  /** The values that variables may have with full effect: real paths, names, hashes. */
  readonly trustedEnvironment: readonly string[];
  /** The folder that trust is about: the repository's top level, else the start folder. Canonical. */
  readonly workspace: string;
  /** Every place where ion looked, highest first. */
  readonly found: readonly FoundLayer[];
  readonly files: readonly ParsedFile[];
  /** The arguments of `--set`, in their order. */
  readonly sets: readonly SetContent[];
}

/** Async only because the TOML parser is loaded on demand, when a file exists. */
export async function gather(request: ConfigRequest): Promise<Gathered> {
  const cwd = canonical(request.cwd);
  const home = homeOf(request.home);
  const workspace = request.repositoryTop ?? findRepositoryTop(cwd) ?? cwd;
  const {configFile, env, machineConfig, otherHomes = [], layers = true, uid} = request;
  if (layers) refuseProfile(env['ION_PROFILE']);
  const found = readLayers({
    cwd,
    home: layers ? home : undefined,
    top: layers ? workspace : undefined,
    ...(configFile === undefined ? {} : {configFile}),
    environmentFile: layers ? env['ION_CONFIG'] : undefined,
    grants: layers ? await grantsOf(home, workspace) : undefined,
    machineConfig,
    outerConfig: layers ? request.outerConfig : undefined,
  });
  const parsed = await parseFiles(found, home);
  const lock = lockOf(parsed);
  const homes = [...new Set(home === undefined ? otherHomes : [home, ...otherHomes])];
  const parsedSets = await parseSets(request, {folder: cwd, home});
  const {files, sets} = await withHosts(
    {files: parsed, sets: parsedSets},
    {home, cwd, workspace, lock, uid, env},
  );
  const gathered = {home, homes, lock, workspace, found, files, sets, trustedEnvironment: []};
  const trusted = {...gathered, trustedEnvironment: trustedEnvironment(files, {lock, uid})};
  refuseReachable(trusted, {cwd, temp: env['TMPDIR'], uid});
  return trusted;
}

/** Loaded on demand: most runs have no `--set`. */
async function parseSets(
  {sets = [], settings}: Pick<ConfigRequest, 'sets' | 'settings'>,
  place: {readonly folder: string; readonly home: string | undefined},
): Promise<SetContent[]> {
  if (sets.length === 0 && !settings) return [];
  const {parseSet, readSettings} = await import('./set-layer.ts');
  return [...(settings ? readSettings(settings, place) : []), ...sets.map((one) => parseSet(one, place))];
}

/** The hosts of presets (`preset:npm`). Loaded on demand. */
async function withHosts(content: Content, where: Surrounding): Promise<Content> {
  if (![...content.files, ...content.sets].some(namesPreset)) return content;
  const {expandAll} = await import('./expand-all.ts');
  return expandAll(content, where);
}

function namesPreset({values, servers = {}}: LayerContent): boolean {
  return [values, ...Object.values(servers).map((section) => section.values)].some((one) => {
    const network = one['sandbox.network']?.value;
    return typeof network === 'object' && network.presets !== undefined;
  });
}

function refuseProfile(profile: string | undefined): void {
  if (!profile) return;
  throw new IonError(`ION_PROFILE=${quoted(profile)}: this version has no profiles`, {
    help: 'unset ION_PROFILE',
  });
}

/** Most users have no grants. Then ion does not compute the hash. */
async function grantsOf(home: string | undefined, workspace: string): Promise<string | undefined> {
  if (home === undefined || !existsSync(path.join(home, '.ion/grants'))) return undefined;
  const {grantsName} = await import('../grants-file.ts');
  return grantsName(workspace);
}

/**
 * The file that ION_CONFIG names must be where runs and projects cannot write it. This holds even if it only
 * tightens, because it names what to deny.
 */
function refuseReachable(
  {files, sets, home, workspace}: Gathered,
  {cwd, temp, uid}: {readonly cwd: string; readonly temp: string | undefined; readonly uid: number},
): void {
  const file = files.find(({kind}) => kind === 'environment');
  if (!file) return;
  const {realPath, stats, folderUid} = file.file;
  const refuse = (why: string): never => {
    throw new IonError(`ION_CONFIG=${quoted(file.shown)} ${why}`, {
      help: 'put the file into ~/.ion, or unset ION_CONFIG',
    });
  };
  if ([stats.uid, folderUid].some((owner) => owner !== uid && owner !== 0)) refuse('belongs to another user');
  if ((stats.mode & 0o002) !== 0) refuse('can be written by every user');
  const own = home === undefined ? undefined : realpathOrSame(path.join(home, '.ion'));
  if (own !== undefined && isWithin(realPath, own))
    return isUsersOwn(realPath, own) ? undefined : refuse('is in a folder where runs leave files');
  if ([workspace, cwd].some((folder) => isWithin(realPath, folder))) refuse('is in the workspace');
  if (tempFolders(temp).some((folder) => isWithin(realPath, folder))) refuse('is in a temp folder');
  if (writeRootsIn([...files, ...sets]).some((root) => isWithin(realPath, root)))
    refuse('is in a write root');
}

function canonical(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch (cause) {
    throw new IonError(`the current folder ${quoted(cwd)} does not exist`, {
      help: 'cd to a folder that exists',
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
    if (!file) return [];
    const content = parseLayer(file.text, {kind, file: shown, folder, home});
    return [{...layer, file, ...(kind === 'machine' ? lockedByDefault(content, shown) : content)}];
  });
}

/** The machine's config locks unless it says otherwise. */
function lockedByDefault({values, document, servers}: LayerContent, shown: string): LayerContent {
  const locked = {value: true, origin: {layer: 'machine' as const, file: shown}};
  if (values['permissions.locked']) return {values, document, servers};
  const {permissions} = document as {permissions?: object};
  return {
    values: {...values, 'permissions.locked': locked},
    document: {...(document as object), permissions: {...permissions, locked: true}},
    servers,
  };
}

/** Returns the layers to merge, highest first. */
export function stackOf(
  gathered: Gathered,
  {flags, uid}: Pick<ConfigRequest, 'flags' | 'uid'>,
  untrusted: Untrusted,
): Layer[] {
  const layers = gathered.files.map((file): Layer => {
    const {kind, values, document, servers} = file;
    return {kind, values, document, servers, onlyTightens: restriction(file, {gathered, uid, untrusted})};
  });
  // The last `--set` is the highest.
  const sets = gathered.sets.toReversed().map((one): Layer => ({
    ...one,
    kind: 'set',
    onlyTightens: whyBound('set', gathered.lock),
  }));
  return [flagLayer(flags, gathered.lock), ...sets, ...layers, defaultLayer(gathered.homes)];
}

function flagLayer({read, noSandbox, timeoutMs}: ConfigFlags, lock: Lock | undefined): Layer {
  const origin: Origin = {layer: 'flag'};
  const values = {
    ...(read ? {'permissions.mode': {value: 'read' as const, origin}} : {}),
    ...(noSandbox ? {'permissions.sandbox': {value: false, origin}} : {}),
    ...(timeoutMs === undefined ? {} : {'sandbox.limits.timeout': {value: timeoutMs, origin}}),
  };
  // The same values in the form of a config file.
  const document = {
    permissions: {mode: 'read', sandbox: false},
    sandbox: {limits: {timeout: timeoutMs === undefined ? undefined : `${timeoutMs}ms`}},
  };
  return {kind: 'flag', values, document, onlyTightens: whyBound('flag', lock)};
}
