import type {ResolvedConfig, Settings, Sourced} from '../config/settings.ts';
import {quoted} from '../errors.ts';
import {isWithin} from '../sandbox/paths.ts';

/** What of the settings closes a path that no default does. */
export interface ProtectedBy {
  readonly why: string;
  readonly origin: Sourced<string>['origin'];
  readonly help: string;
}

export type ProtectingSettings = Pick<Settings, 'protect' | 'frames'> & Pick<ResolvedConfig, 'trustedFiles'>;

/** `unprotect` lifts the defaults alone: what else closed `target`, and what opens it. Pure. */
export function protectedBy(
  target: string,
  {protect, frames, trustedFiles}: ProtectingSettings,
): ProtectedBy | undefined {
  if (trustedFiles.includes(target)) {
    return {
      why: "a config that this run obeys: whoever changes it changes the next run's rules",
      origin: {layer: 'default'},
      help: 'no setting allows it: change it outside of ion',
    };
  }
  const entry = protect.find(({value}) =>
    value.startsWith('/') ? isWithin(target, value) : `${target}/`.includes(`/${value}/`),
  );
  if (entry) {
    const why = `protected by sandbox.protect ${quoted(entry.value)}`;
    return {why, origin: entry.origin, help: 'take the entry out of sandbox.protect to allow it'};
  }
  const frame = Object.entries(frames).find(([, {value}]) => isWithin(target, value));
  if (!frame) return undefined;
  const [name, {origin}] = frame;
  return {
    why: `in the frame ${quoted(name)}, which is not the active one`,
    origin,
    help: `permissions.frame = ${quoted(name)} in your own config makes it the active one`,
  };
}
