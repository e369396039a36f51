import {IonError, quoted} from '../errors.ts';
import {
  gather,
  notTrusted,
  restriction,
  stackOf,
  type ConfigRequest,
  type Gathered,
  type ParsedFile,
} from './gather.ts';
import type {ResolvedValues} from './keys.ts';
import type {Restriction} from './layer.ts';
import {merge, settingsOf} from './merge.ts';
import {placeOf} from './origin.ts';
import {isProject} from './raw.ts';
import type {ResolvedConfig, WorkspaceTrust} from './settings.ts';

export type {ConfigFlags, ConfigRequest} from './gather.ts';

/** What the layers say, with the values in the form of the config file's keys as well. */
export interface ResolvedConfigWithValues extends ResolvedConfig {
  readonly values: ResolvedValues;
}

/** Read every layer, decide who may loosen, and join them. */
export async function resolveConfig(request: ConfigRequest): Promise<ResolvedConfigWithValues> {
  const gathered = await gather(request);
  return join(gathered, request, await trustOf(gathered, request));
}

/** Trust matters to project files, and to approval modes that ask less in a trusted workspace: else it is not read. */
async function trustOf(gathered: Gathered, request: ConfigRequest): Promise<WorkspaceTrust> {
  const matters = gathered.files.some((file) => isProject(file) || file.values['permissions.approval']);
  if (!matters) return notTrusted;
  const {judgeTrust} = await import('./trust.ts');
  return judgeTrust(gathered, request);
}

/** The resolved state under a given trust. */
export function join(
  gathered: Gathered,
  request: Pick<ConfigRequest, 'flags' | 'uid'>,
  trust: WorkspaceTrust,
): ResolvedConfigWithValues {
  const untrusted = trust.state === 'trusted' ? undefined : askForTrust(trust);
  const isTrusted = (file: ParsedFile) => restriction(file, request.uid, untrusted) === undefined;
  const {values, ignored} = merge(stackOf(gathered, request, untrusted));
  checkFrame(values);
  return {
    settings: settingsOf(values),
    values,
    ignored,
    workspace: gathered.workspace,
    trust,
    trustedFiles: gathered.files.filter(isTrusted).map(({file}) => file.realPath),
    layers: gathered.found.map(({kind, shown, path}) => {
      const file = gathered.files.find((one) => one.path === path);
      const present = file !== undefined;
      return {origin: {layer: kind, file: shown}, present, trusted: present && isTrusted(file)};
    }),
  };
}

function askForTrust({because, help}: WorkspaceTrust): Restriction {
  return {why: because, help: help ?? 'read the file, then run "ion trust"'};
}

/** Frames and the active one may come from different layers: only now is it known whether it exists. */
function checkFrame(values: ResolvedValues): void {
  const {value, origin} = values['permissions.frame'];
  if (value === '' || Object.hasOwn(values.frames, value)) return;
  const names = Object.keys(values.frames).map((name) => quoted(name));
  throw new IonError(`permissions.frame names no frame: ${quoted(value)}`, {
    at: placeOf(origin),
    help: names.length === 0 ? 'name its folder in [frames]' : `frames: ${names.join(', ')}`,
  });
}
