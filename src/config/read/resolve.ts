import {IonError, quoted} from '../../errors.ts';
import {gather, stackOf, type ConfigRequest, type Gathered} from './gather.ts';
import type {ResolvedValues} from '../keys.ts';
import type {Layer, Restriction} from '../layer.ts';
import {whyBound} from '../loosening.ts';
import {merge, settingsOf} from './merge.ts';
import type {ParsedFile} from './layers.ts';
import {locationOf} from './origin.ts';
import {notTrusted, restriction, type Untrusted} from './restriction.ts';
import {isProject} from '../raw.ts';
import {passesUnknown, withSections} from '../server-sections.ts';
import type {Ignored, LayerKind, ResolvedConfig, WorkspaceTrust} from '../settings.ts';

export type {ConfigFlags, ConfigRequest} from './gather.ts';

/** The resolved config, and the same values by the keys of a config file. */
export interface ResolvedConfigWithValues extends ResolvedConfig {
  readonly values: ResolvedValues;
}

/** Reads every layer, decides which may loosen, and joins them. */
export async function resolveConfig(request: ConfigRequest): Promise<ResolvedConfigWithValues> {
  const gathered = await gather(request);
  return join(gathered, request, await trustOf(gathered, request));
}

/**
 * Trust affects only project files, and approval modes that ask less in a trusted workspace. If neither needs the trust, the
 * store is not read.
 */
async function trustOf(gathered: Gathered, request: ConfigRequest): Promise<WorkspaceTrust> {
  const matters =
    request.showsTrust === true ||
    gathered.files.some((file) => isProject(file) || file.values['permissions.approval']) ||
    gathered.sets.some(({values}) => values['permissions.approval']);
  if (!matters) return notTrusted;
  const bound = whyBound('ion trust', gathered.lock);
  if (bound) return {state: 'untrusted', because: bound.why, help: bound.help};
  const {judgeTrust} = await import('../trust/trust.ts');
  return judgeTrust(gathered, request);
}

/** The resolved config under a given trust. */
export function join(
  gathered: Gathered,
  request: Pick<ConfigRequest, 'flags' | 'uid' | 'mcpServer' | 'mcpServerOfProject'>,
  trust: WorkspaceTrust,
): ResolvedConfigWithValues {
  const untrusted = untrustedBy(trust);
  const restrictionOf = (file: ParsedFile) => restriction(file, {gathered, uid: request.uid, untrusted});
  const isTrusted = (file: ParsedFile) => restrictionOf(file) === undefined;
  const general = stackOf(gathered, request, untrusted);
  const {mcpServer: server, mcpServerOfProject: isOfProject} = request;
  const stack = server === undefined ? general : withSections(general, server, isOfProject);
  const {values, ignored} = merge(stack);
  checkFrame(values);
  const settings = settingsOf(values);
  return {
    settings,
    hookSettings: values.hooks.length === 0 ? settings : settingsOf(merge(layersOfHooks(stack)).values),
    values,
    ignored: server === undefined ? [...ignored, ...ignoredInSections(general)] : ignored,
    passUnknown: server !== undefined && !isOfProject && passesUnknown(general, server),
    lock: gathered.lock,
    workspace: gathered.workspace,
    trust,
    trustedFiles: gathered.files
      .filter((file) => restrictionOf(file)?.kind === 'lapsed' || isTrusted(file))
      .map(({file}) => file.realPath),
    layers: gathered.found.map(({kind, shown, path}) => {
      const file = gathered.files.find((one) => one.path === path);
      const present = file !== undefined;
      return {origin: {layer: kind, file: shown}, present, trusted: present && isTrusted(file)};
    }),
  };
}

/** The settings that the sections of untrusted layers would loosen, for each server. They count only for `ion mcp wrap`. */
function ignoredInSections(stack: readonly Layer[]): readonly Ignored[] {
  const names = new Set(stack.flatMap(({servers = {}}) => Object.keys(servers)));
  return [...names].flatMap((name) =>
    merge(withSections(stack, name)).ignored.filter(({key}) => key.startsWith('mcp.')),
  );
}

/** A project's settings never reach the hooks that guard against it. */
function layersOfHooks(stack: readonly Layer[]): Layer[] {
  const own: readonly LayerKind[] = ['flag', 'set', 'config-flag', 'user', 'machine', 'default'];
  return stack.filter(({kind, onlyTightens}) => own.includes(kind) && onlyTightens === undefined);
}

/**
 * A file that was added after its workspace was trusted is untrusted by itself. The rest of the workspace stays trusted:
 * otherwise a process that can add an empty file could switch off the other files' hooks and frames. A file that was changed or
 * deleted may have denied something. Then no other file may loosen anything, but their denials stay.
 */
function untrustedBy({state, because, help, newcomers = {}, unchanged = []}: WorkspaceTrust): Untrusted {
  const askForTrust = (why: string): Restriction => ({
    why,
    help: help ?? 'read the file, then run "ion trust"',
  });
  return ({path}) => {
    if (state !== 'trusted')
      return {...askForTrust(because), ...(unchanged.includes(path) ? {kind: 'lapsed'} : {})};
    return Object.hasOwn(newcomers, path) ? askForTrust(newcomers[path]!) : undefined;
  };
}

/** Frames and the active frame may come from different layers, so this check runs after the merge. */
function checkFrame(values: ResolvedValues): void {
  const {value, origin} = values['permissions.frame'];
  if (value === '' || Object.hasOwn(values.frames, value)) return;
  const names = Object.keys(values.frames).map((name) => quoted(name));
  throw new IonError(`permissions.frame does not name a frame: ${quoted(value)}`, {
    at: locationOf(origin),
    help: names.length === 0 ? 'add it with its folder to [frames]' : `frames: ${names.join(', ')}`,
  });
}
