import {shellWord} from '../../shell/quote.ts';
import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {isUsersOwn, sharedTemps} from '../../shell/paths.ts';
import {defaultLayer} from '../defaults.ts';
import type {Layer, LayerContent, Restriction} from '../layer.ts';
import {readLayers, type FoundLayer, type GivenConfig} from './layers.ts';
import {lockOf, whyBound} from '../loosening.ts';
import {findRepositoryTop} from './start-folder.ts';
import {isProject} from '../raw.ts';
import type {FileRead} from '../../system/small-file.ts';
import {tomlString} from './render.ts';
import type {SetContent} from './set-layer.ts';
import type {LayerKind, Lock, Origin, WorkspaceTrust} from '../settings.ts';
import {realpathOrSame} from '../../system/real-path.ts';

export interface ConfigRequest {
  readonly cwd: string;
  readonly home: string | undefined;
  /** Other homes of the user: their secrets are denied too. */
  readonly otherHomes?: readonly string[];
  /** `/etc/ion/config.toml`. */
  readonly machineConfig?: string | undefined;
  /** Of a file of the user that cannot be read: does a run around this process enforce it? */
  readonly isOuters?: (shown: string) => boolean;
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
  /** Given when the caller has already found it. */
  readonly repositoryTop?: string | undefined;
}

export interface ConfigFlags {
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
}

/** A config file that exists, parsed. Whether it may loosen is decided later. */
export interface ParsedFile extends FoundLayer, LayerContent {
  readonly file: FileRead;
}

/** Everything read from the disk, before anything is decided. */
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
    isOuters: request.isOuters,
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
  const trusted = {...gathered, trustedEnvironment: trustedEnvironment(gathered, uid)};
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

interface Surrounding
  extends Pick<Gathered, 'home' | 'workspace' | 'lock'>, Pick<ConfigRequest, 'cwd' | 'uid' | 'env'> {}

/** The hosts of presets (`preset:npm`). Loaded on demand. */
async function withHosts(
  {files, sets}: Pick<Gathered, 'files' | 'sets'>,
  {home, cwd, workspace, lock, uid, env}: Surrounding,
): Promise<Pick<Gathered, 'files' | 'sets'>> {
  if (![...files, ...sets].some(namesPreset)) return {files, sets};
  const {expandPresets} = await import('../network/presets/expand-presets.ts');
  const own: readonly LayerKind[] = ['machine', 'user', 'config-flag'];
  const trusted = files.filter(
    (file) =>
      own.includes(file.kind) &&
      !whyBound(file.kind, lock) &&
      (file.kind === 'config-flag' || !unsafe(file, uid)),
  );
  const setting = [...trusted.toReversed(), ...(whyBound('set', lock) ? [] : sets)];
  const variables = setting.flatMap(({values}) => Object.entries(values['environment.set'] ?? {}));
  const where = {
    home,
    root: '',
    node: process.execPath,
    writable: [workspace, cwd, ...temps(env['TMPDIR']), ...writeRoots({files, sets})],
    environment: Object.fromEntries(variables.map(([name, {value}]) => [name, value])),
  };
  return {
    files: files.map((file) => expandPresets(file, where)),
    sets: sets.map((set) => expandPresets(set, where)),
  };
}

function namesPreset({values, servers = {}}: LayerContent): boolean {
  return [values, ...Object.values(servers).map((section) => section.values)].some((one) => {
    const network = one['sandbox.network']?.value;
    return typeof network === 'object' && network.presets !== undefined;
  });
}

function temps(temp: string | undefined): string[] {
  return [...sharedTemps, ...(temp ? [temp] : [])].map(realpathOrSame);
}

function writeRoots({files, sets}: Pick<Gathered, 'files' | 'sets'>): string[] {
  const roots = [...files, ...sets].flatMap(({values}) => values['sandbox.write_roots'] ?? []);
  return roots.map(({value}) => realpathOrSame(value));
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

/** Returns the entries of trusted_environment in the config files of the user and the machine. */
function trustedEnvironment({files, lock}: Pick<Gathered, 'files' | 'lock'>, uid: number): string[] {
  return files
    .filter(
      (file) => ['user', 'machine'].includes(file.kind) && !whyBound(file.kind, lock) && !unsafe(file, uid),
    )
    .flatMap(({values}) => values['permissions.trusted_environment'] ?? [])
    .map(({value}) => realpathOrSame(value));
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
  if (temps(temp).some((folder) => isWithin(realPath, folder))) refuse('is in a temp folder');
  if (writeRoots({files, sets}).some((root) => isWithin(realPath, root))) refuse('is in a write root');
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

/** Why a file of the project may only tighten. Undefined when it is trusted. */
export type Untrusted = (file: ParsedFile) => Restriction | undefined;

/** The layers to merge, highest first. */
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

export const notTrusted: WorkspaceTrust = {state: 'untrusted', because: 'this workspace is not trusted'};

interface Judging {
  readonly gathered: Pick<Gathered, 'lock' | 'trustedEnvironment'>;
  readonly uid: number;
  readonly untrusted: Untrusted;
}

/** Why a file may only tighten. Undefined when it may set anything. */
export function restriction(file: ParsedFile, {gathered, uid, untrusted}: Judging): Restriction | undefined {
  const {kind} = file;
  const bound = whyBound(kind, gathered.lock);
  if (bound) return bound;
  if (kind === 'config-flag') return undefined;
  const why = unsafe(file, uid);
  if (why) return why;
  if (isProject(file)) return untrusted(file);
  if (kind !== 'environment' || gathered.trustedEnvironment.includes(file.file.realPath)) return undefined;
  return {
    why: 'a file that ION_CONFIG names may only tighten',
    help: `for this run: --config ${shellWord(file.file.realPath)}; for all: permissions.trusted_environment = [${tomlString(file.file.realPath)}] in ~/.ion/config.toml`,
  };
}

/** Why another user could write the file. Undefined when none could. */
function unsafe({kind, shown, file}: ParsedFile, uid: number): Restriction | undefined {
  const mayOwn = kind === 'machine' ? [0] : kind === 'environment' ? [0, uid] : [uid];
  const stranger = [file.stats.uid, file.folderUid].find((owner) => !mayOwn.includes(owner));
  if (stranger !== undefined) {
    return {
      why: `it belongs to uid ${stranger}, not to ${kind === 'machine' ? 'root' : 'you'}`,
      help: 'the owner of a config file could change it after you read it',
    };
  }
  if (isProject({kind}) || (file.stats.mode & 0o002) === 0) return undefined;
  return {why: 'every user can write it', help: `chmod o-w ${shown}`};
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
