import {lstatSync} from 'node:fs';
import {placeOf} from '../config/read/origin.ts';
import type {Settings, Sourced} from '../config/settings.ts';
import {IonError, quoted} from '../errors.ts';
import {
  enforcedBy,
  featuresOfRun,
  protections,
  type Features,
  type ProtectionId,
  type Protection,
} from './matrix.ts';
import {boundaryOf} from './boundary.ts';
import {isWithin} from '../system/is-within.ts';

/** Settings that somebody wrote rest on these protections; written and not enforceable is an error. */
const explicit: readonly {
  readonly name: (settings: Settings) => string;
  readonly written: (settings: Settings) => Sourced<unknown> | undefined;
  readonly needs: (settings: Settings) => ProtectionId;
}[] = [
  {
    name: ({network}) => `network = "${network.value}"`,
    written: ({network}) => (network.value === 'full' ? undefined : network),
    needs: ({network}) => (network.value === 'loopback' ? 'loopback' : 'network'),
  },
  {name: () => 'read = "kernel"', written: anyProgram, needs: () => 'writes'},
  {name: () => 'read = "kernel"', written: anyProgram, needs: () => 'truncate'},
  {name: () => 'sandbox.protect', written: ({protect}) => protect.find(isWritten), needs: () => 'autorun'},
];

/** In read mode, where any program starts: then only the kernel keeps it from writing. */
function anyProgram(settings: Settings): Sourced<unknown> | undefined {
  return boundaryOf(settings) === 'read-kernel' ? settings.read : undefined;
}

/**
 * Refuse what cannot be kept: a setting that somebody wrote and this machine cannot enforce; with `sandbox = "require"`
 * every protection that is weaker here than ion can make it. Throws an IonError (125).
 */
export function refuseUnenforceable(settings: Settings, features: Features): void {
  const enforced = enforcedBy(featuresOfRun(features, settings.report.value));
  const level = (id: ProtectionId): string => enforced.find((one) => one.id === id)?.level ?? 'not';
  for (const {name, written, needs} of explicit) {
    const value = written(settings);
    if (!value || !isWritten(value) || level(needs(settings)) === 'enforced') continue;
    throw new IonError(`cannot enforce ${name(settings)} here`, {
      at: placeOf(value.origin),
      help: '"ion doctor" shows what this machine enforces; without this setting ion runs and states what is missing',
    });
  }
  if (settings.sandbox.value !== 'require') return;
  const weaker = enforced.find(
    ({id, level: here}) => here !== bestLevel(id, features) && !isOff(id, settings),
  );
  if (!weaker) return;
  throw new IonError(`sandbox = "require", but this machine does not enforce: ${weaker.promise}`, {
    at: placeOf(settings.sandbox.origin),
    help: '"ion doctor" shows what this machine enforces',
  });
}

/** Without a sandbox nothing keeps a program from writing: then `read = "kernel"` is write mode. Throws an IonError (125). */
export function refuseOpenReading(settings: Settings): void {
  if (boundaryOf(settings) !== 'read-kernel') return;
  throw new IonError('read = "kernel" needs the sandbox: without it any program could write', {
    at: placeOf(settings.read.origin),
    help: 'leave --no-sandbox away, or set permissions.read = "table"',
  });
}

/** Refuse `open`, entries of denied_paths that nothing keeps from being read here, if somebody wrote one. Throws an IonError (125). */
export function refuseOpen(open: readonly Sourced<string>[]): void {
  const entry = open.find(isWritten);
  if (!entry) return;
  throw new IonError(
    `cannot enforce denied_paths ${quoted(entry.value)} here: no mount can hide it, and no supervisor can look for it`,
    {
      at: placeOf(entry.origin),
      help: 'a path that exists needs mounts; a pattern, and what is made later, a seccomp listener, and no ranges in it; see "ion doctor"',
    },
  );
}

/**
 * Refuse a file for events that the command could write to, but for a mount which pins it, or at least a supervisor who refuses
 * changes of it: what is told of a run must not be the run's to change. Throws an IonError (125). Where nothing keeps a command
 * from any file, it is stated that nothing does.
 */
export function refuseEventsFile(
  file: string,
  writeRoots: readonly string[],
  {landlock, listener, namespaces}: Features,
): void {
  if (!writeRoots.some((root) => isWithin(file, root))) return;
  const help = 'name a file where the command cannot write, or fd:N with a pipe of your own';
  if (landlock > 0 && namespaces === 'none' && !listener) {
    throw new IonError(
      `--events ${quoted(file)} lies where the command may write, and neither a mount nor a supervisor can keep it from it here`,
      {help},
    );
  }
  if ((lstatSync(file, {throwIfNoEntry: false})?.nlink ?? 0) > 1) {
    throw new IonError(
      `--events ${quoted(file)} has other names, by which the command may be able to change it`,
      {help},
    );
  }
}

/** The best that this kind of machine can do; a protection that macOS cannot give is no reason to refuse a Mac. */
function bestLevel(id: ProtectionId, {seatbelt}: Features): string {
  const protection: Protection | undefined = protections.find((one) => one.id === id);
  const ways = protection?.ways ?? [];
  const best = seatbelt ? ways.find(({needs}) => needs.seatbelt || Object.keys(needs).length === 0) : ways[0];
  return best?.level ?? 'not';
}

/** Protections that a setting switches off, or that it has no use for. */
export function isOff(id: ProtectionId, settings: Settings): boolean {
  const {network, deniedPaths, tmp} = settings;
  if (id.startsWith('read-')) return boundaryOf(settings) !== 'read';
  if (id === 'private-temp') return tmp.value !== 'private' && boundaryOf(settings) !== 'read';
  if (id === 'streams-sockets') return network.value === 'full';
  if (id === 'network') return network.value !== 'none';
  if (id.startsWith('loopback')) return network.value !== 'loopback';
  return (id === 'denied-paths' || id === 'denied-paths-new') && deniedPaths.length === 0;
}

function isWritten({origin}: Sourced<unknown>): boolean {
  return origin.layer !== 'default';
}
