import {settingForms} from '../config/set-option.ts';
import {lstatSync} from 'node:fs';
import {isOfOuterRun} from '../config/outer-config.ts';
import {locationOf} from '../config/read/origin.ts';
import {hasEntries, wordOf} from '../config/network/network-table.ts';
import type {Settings, Sourced} from '../config/settings.ts';
import {IonError, quoted} from '../errors.ts';
import {featuresOfRun, type Features} from './matrix/features.ts';
import {enforcedBy, protections, type Enforced, type ProtectionId} from './matrix/matrix.ts';
import type {Row} from './matrix/ways.ts';
import {promiseOf} from './matrix/promises.ts';
import {boundaryOf} from './boundary.ts';
import {nearest} from '../system/nearest.ts';
import {isWithin} from '../system/is-within.ts';

/** The protections that explicit settings rely on. An explicit setting that is not enforceable is an error. */
const explicit: readonly {
  readonly name: (settings: Settings) => string;
  readonly written: (settings: Settings) => Sourced<unknown> | undefined;
  readonly needs: (settings: Settings) => ProtectionId;
  /** The features that the machine would need. */
  readonly missing?: (settings: Settings) => string | undefined;
}[] = [
  {
    name: ({network}) =>
      hasEntries(network.value) ? 'a table of network names' : `network = "${wordOf(network.value)}"`,
    written: ({network}) => (network.value === 'full' ? undefined : network),
    needs: ({network}) =>
      hasEntries(network.value)
        ? 'network-names'
        : wordOf(network.value) === 'loopback'
          ? 'loopback'
          : 'network',
    missing: ({network}) =>
      hasEntries(network.value)
        ? `it needs network namespaces, which this machine does not grant; ${settingForms('sandbox.network', 'full', network.origin)}`
        : undefined,
  },
  {name: () => 'read = "kernel"', written: anyProgram, needs: () => 'writes'},
  {name: () => 'read = "kernel"', written: anyProgram, needs: () => 'truncate'},
  {name: () => 'sandbox.protect', written: ({protect}) => protect.find(isWritten), needs: () => 'autorun'},
];

/** The read mode, if any program may start in it. Then only the kernel prevents writes. */
function anyProgram(settings: Settings): Sourced<unknown> | undefined {
  return boundaryOf(settings) === 'read-kernel' ? settings.read : undefined;
}

/**
 * Refuses settings that cannot be enforced. These are explicit settings that this machine cannot enforce. With `sandbox =
 * "require"` they are all protections that are weaker here than ion can make them, or those of its list. Throws an IonError
 * (125).
 */
export function refuseUnenforceable(settings: Settings, features: Features): void {
  const enforced = enforcedBy(
    featuresOfRun(features, {report: settings.report.value, processes: settings.processes.value}),
  );
  const level = (id: ProtectionId): string => enforced.find((one) => one.id === id)?.level ?? 'not';
  for (const {name, written, needs, missing} of explicit) {
    const value = written(settings);
    if (!value || !isWritten(value) || level(needs(settings)) === 'enforced') continue;
    throw new IonError(`cannot enforce ${name(settings)} here`, {
      at: locationOf(value.origin),
      help:
        missing?.(settings) ??
        '"ion doctor" shows what this machine enforces; without this setting ion runs and reports what is missing',
    });
  }
  const isRequired = requiredBy(settings.sandbox);
  const weaker = enforced.filter(
    ({id, level: here}) => isRequired(id) && here !== bestLevel(id, features) && !isOff(id, settings),
  );
  if (weaker.length === 0) return;
  const [{id}] = weaker as [Enforced];
  const what = weaker.length === 1 ? `${id} (${promiseOf(id)})` : weaker.map((one) => one.id).join(', ');
  throw new IonError(`the config requires what this machine does not enforce: ${what}`, {
    at: locationOf(settings.sandbox.origin),
    help: `"ion doctor" shows what this machine enforces; permissions.sandbox = { require = [...] } names only those that must hold`,
  });
}

/** The rows that must hold. Throws an IonError (125) for an id that no row has: what is required must not be passed over. */
function requiredBy({value, origin}: Settings['sandbox']): (id: ProtectionId) => boolean {
  if (typeof value !== 'object') return () => value === 'require';
  const ids = protections.map(({id}): string => id);
  const unknown = value.require.find((id) => !ids.includes(id));
  if (unknown === undefined) return (id) => value.require.includes(id);
  const meant = nearest(unknown, ids);
  throw new IonError(`permissions.sandbox requires an unknown protection: ${quoted(unknown)}`, {
    at: locationOf(origin),
    help: meant === undefined ? `protections: ${ids.join(', ')}` : `did you mean ${quoted(meant)}?`,
  });
}

/**
 * Without a sandbox no mechanism prevents a program from writing: `read = "kernel"` would be write mode. Throws an
 * IonError (125).
 */
export function refuseOpenReading(settings: Settings): void {
  if (boundaryOf(settings) !== 'read-kernel') return;
  throw new IonError('read = "kernel" needs the sandbox: without it any program could write', {
    at: locationOf(settings.read.origin),
    help: `drop --no-sandbox; or ${settingForms('permissions.read', 'table')}`,
  });
}

/**
 * Refuses `open`, entries of denied_paths that no mechanism enforces here, if the user set one. Throws an IonError
 * (125).
 */
export function refuseOpen(open: readonly Sourced<string>[]): void {
  const entry = open.find(isWritten);
  if (!entry) return;
  throw new IonError(
    `cannot enforce denied_paths ${quoted(entry.value)} here: there are no mounts to hide it and no supervisor to refuse it`,
    {
      at: locationOf(entry.origin),
      help: 'an existing path needs mounts; a pattern or a later path needs a seccomp listener and no ranges; see "ion doctor"',
    },
  );
}

/**
 * Refuses an events file that the command could write, unless a mount pins it or a supervisor refuses its changes: a
 * run must not change the report about itself. Throws an IonError (125). Where no mechanism protects any file, ion
 * reports that instead.
 */
export function refuseEventsFile(
  file: string,
  writeRoots: readonly string[],
  {landlock, listener, namespaces}: Features,
): void {
  if (!writeRoots.some((root) => isWithin(file, root))) return;
  const help = 'name a file that the command cannot write, or fd:N with your own pipe';
  if (landlock > 0 && namespaces === 'none' && !listener) {
    throw new IonError(
      `--events ${quoted(file)} is writable by the command, and this machine has neither mounts nor a supervisor to protect it`,
      {help},
    );
  }
  if ((lstatSync(file, {throwIfNoEntry: false})?.nlink ?? 0) > 1) {
    throw new IonError(
      `--events ${quoted(file)} has other hard links, through which the command may change it`,
      {help},
    );
  }
}

/** The best level on this kind of machine: a protection that macOS cannot give is not a reason to refuse a Mac. */
function bestLevel(id: ProtectionId, {seatbelt}: Features): string {
  const protection: Row | undefined = protections.find((one) => one.id === id);
  const ways = protection?.ways ?? [];
  const best = seatbelt ? ways.find(({needs}) => needs.seatbelt || Object.keys(needs).length === 0) : ways[0];
  return best?.level ?? 'not';
}

/** Protections that a setting turns off, or does not need. */
export function isOff(id: ProtectionId, settings: Settings): boolean {
  const {network, deniedPaths, tmp, processes} = settings;
  if (id.startsWith('read-')) return boundaryOf(settings) !== 'read';
  if (id === 'hooks-outside') return settings.hooks.every(({sandbox}) => sandbox);
  if (id === 'private-temp') return tmp.value !== 'private' && boundaryOf(settings) !== 'read';
  if (id === 'hidden-processes') return processes.value === 'shared';
  if (id === 'streams-sockets') return network.value === 'full';
  if (id.startsWith('network-')) return !hasEntries(network.value);
  if (id === 'network') return hasEntries(network.value) || wordOf(network.value) !== 'none';
  if (id.startsWith('loopback')) return hasEntries(network.value) || wordOf(network.value) !== 'loopback';
  return (id === 'denied-paths' || id === 'denied-paths-new') && deniedPaths.length === 0;
}

/** An outer run enforces the settings that it hands over, whatever can be enforced inside it. */
function isWritten({origin}: Sourced<unknown>): boolean {
  return origin.layer !== 'default' && !isOfOuterRun(origin);
}
