import {renderToml} from './read/render.ts';
import type {ListedRoot, Lock, Origin, Rule, Settings, Sourced} from './settings.ts';

/** The file of the settings that an outer run hands over, in messages and origins. */
export const outerRun = 'the outer run';

/** Reports whether a setting or a layer is from there. A file of this name can be given as another layer. */
export const isOfOuterRun = ({layer, file}: Origin): boolean => layer === 'user' && file === outerRun;

/**
 * The settings of a run as a config file for `ion run` inside it: the layers themselves are closed there. Only settings that
 * describe the boundary. The outer run enforces its limits, requirements and network, and its hooks do not concern commands
 * inside. `environment.set` may hold secrets, and the command has these variables. Pure.
 */
export function outerConfig(settings: Settings, lock: Lock | undefined): string {
  const {mode, read, network, workspace, toolchains} = settings;
  const values: Readonly<Record<string, unknown>> = {
    'permissions.mode': mode.value,
    'permissions.read': read.value,
    'permissions.locked': lock?.by === 'user' ? true : undefined,
    'permissions.deny_commands': texts(settings.denyCommands),
    'permissions.denied_paths': texts(settings.deniedPaths),
    'permissions.rules': settings.rules.filter(({effect}) => effect !== 'allow').map(denies),
    'sandbox.read_roots': settings.readRoots.map(optional),
    'sandbox.write_roots': settings.writeRoots.map(optional),
    'sandbox.protect': texts(settings.protect),
    'sandbox.unprotect': texts(settings.unprotect),
    'sandbox.workspace': workspace.value,
    'sandbox.unix_sockets': texts(settings.unixSockets),
    'sandbox.network': network.value === 'none' ? 'none' : 'full',
    'sandbox.toolchains': toolchains.value,
    'environment.keep': texts(settings.environment.keep),
  };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `${key} = ${renderToml(value, Infinity)}\n`)
    .join('');
}

const texts = (list: readonly Sourced<string>[]): string[] => list.map(({value}) => value);

/** A root that the run does not see is not an error inside. */
const optional = ({value}: ListedRoot): object => ({path: value, optional: true});

/** A rule that asks denies inside: ion cannot ask the user there, and the outer run denies the command at exec. */
function denies({scope, match, tool, reason}: Rule): object {
  return {
    effect: 'deny',
    scope,
    match,
    ...(tool === undefined ? {} : {tool}),
    ...(reason === undefined ? {} : {reason}),
  };
}
