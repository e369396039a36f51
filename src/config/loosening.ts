import {IonError} from '../errors.ts';
import type {LayerContent, Restriction} from './layer.ts';
import {describeOrigin, locationOf} from './read/origin.ts';
import type {LayerKind, Lock} from './settings.ts';

/** Commands that store a setting which loosens later runs. They rank above every layer. */
export type StoringCommand =
  'ion mcp accept' | 'ion trust' | 'ion rules add' | 'ion rules remove' | 'ion allow' | 'an answer';

/** Highest first. A lock restricts all layers above its own. */
const order: readonly LayerKind[] = [
  'flag',
  'set',
  'config-flag',
  'environment',
  'grants',
  'project-local',
  'project',
  'user',
  'machine',
  'default',
];

/** Layers that the caller or the user chose. Under a lock their hooks still run, and may deny. */
const binding: readonly string[] = ['flag', 'set', 'config-flag', 'user'];

/** The lock that applies: the one in the lowest layer, because it restricts the most. */
export function lockOf(files: readonly (LayerContent & {readonly kind: LayerKind})[]): Lock | undefined {
  for (const kind of ['machine', 'user'] as const) {
    const found = files.find((file) => file.kind === kind);
    const locked = found?.values['permissions.locked'];
    if (locked?.value) return {by: kind, origin: locked.origin};
  }
  return undefined;
}

/**
 * Why this layer or command may not loosen anything. Undefined when it may. Everything that can loosen must ask here:
 * the layers, and whatever is stored (trust, rules, answers).
 */
export function whyBound(
  source: LayerKind | StoringCommand,
  lock: Lock | undefined,
): Restriction | undefined {
  if (!lock) return undefined;
  const at = order.indexOf(source as LayerKind);
  if (at >= order.indexOf(lock.by)) return undefined;
  return {
    why: `locked by ${describeOrigin(lock.origin)}`,
    help:
      lock.by === 'machine'
        ? 'put settings that allow more into /etc/ion/config.toml, which only root can change'
        : 'put settings that allow more into ~/.ion/config.toml, next to permissions.locked',
    ...(binding.includes(source) ? {kind: 'bound' as const} : {}),
  };
}

/** For commands that store. Throws an IonError (125) under a lock. */
export function refuseLoosening(command: StoringCommand, lock: Lock | undefined): void {
  const bound = whyBound(command, lock);
  if (bound && lock) {
    throw new IonError(`${command} is refused: permissions.locked = true`, {
      at: locationOf(lock.origin),
      help: bound.help,
    });
  }
}
