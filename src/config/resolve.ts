import {IonError, quoted} from '../errors.ts';
import {gather, restriction, stackOf, type ConfigRequest, type Gathered} from './gather.ts';
import type {ResolvedValues} from './keys.ts';
import type {Restriction} from './layer.ts';
import {merge, settingsOf} from './merge.ts';
import {placeOf} from './origin.ts';
import type {ResolvedConfig, WorkspaceTrust} from './settings.ts';

export type {ConfigFlags, ConfigRequest} from './gather.ts';

/** What the layers say, with the values in the form of the config file's keys as well. */
export interface ResolvedConfigWithValues extends ResolvedConfig {
  readonly values: ResolvedValues;
}

/** Read every layer, decide who may loosen, and join them. */
export async function resolveConfig(request: ConfigRequest): Promise<ResolvedConfigWithValues> {
  const gathered = await gather(request);
  return join(gathered, request, {state: 'untrusted', because: 'this workspace is not trusted'});
}

/** The resolved state under a given trust. */
export function join(
  gathered: Gathered,
  request: Pick<ConfigRequest, 'flags' | 'uid'>,
  trust: WorkspaceTrust,
): ResolvedConfigWithValues {
  const untrusted = trust.state === 'trusted' ? undefined : askForTrust(trust);
  const {values, ignored} = merge(stackOf(gathered, request, untrusted));
  checkFrame(values);
  return {
    settings: settingsOf(values),
    values,
    ignored,
    workspace: gathered.workspace,
    trust,
    layers: gathered.found.map(({kind, shown, path}) => {
      const file = gathered.files.find((one) => one.path === path);
      return {
        origin: {layer: kind, file: shown},
        present: file !== undefined,
        trusted: file !== undefined && restriction(file, request.uid, untrusted) === undefined,
      };
    }),
  };
}

function askForTrust({because}: WorkspaceTrust): Restriction {
  return {why: because, help: 'read the file, then run "ion trust"'};
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
