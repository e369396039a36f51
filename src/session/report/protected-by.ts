import type {ResolvedConfig, Settings, Sourced} from '../../config/settings.ts';
import {tomlString} from '../../config/read/render.ts';
import {quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';

/** What of the settings closes a path that no default does. */
export interface ProtectedBy {
  readonly why: string;
  readonly origin: Sourced<string>['origin'];
  readonly help: string;
}

export interface ProtectingSettings
  extends Pick<Settings, 'protect' | 'frames'>, Pick<ResolvedConfig, 'trustedFiles'> {
  /** Where this run's events go. */
  readonly eventsFile?: string | undefined;
}

/** `unprotect` lifts the defaults alone: what else closed `target`, and what opens it. Pure. */
export function protectedBy(
  target: string,
  {protect, frames, trustedFiles, eventsFile}: ProtectingSettings,
): ProtectedBy | undefined {
  // A folder is closed for what it holds: who moves it away puts another one in its place.
  const config = trustedFiles.find((file) => isWithin(file, target));
  if (config !== undefined) {
    const what = config === target ? '' : 'it holds ';
    return {
      why: `${what}a config that this run obeys: whoever changes it changes the next run's rules`,
      origin: {layer: 'default'},
      help: 'no setting allows it: change it outside of ion',
    };
  }
  if (eventsFile !== undefined && isWithin(eventsFile, target)) {
    return {
      why: 'what is told of this run goes there: --events',
      origin: {layer: 'default'},
      help: 'no setting allows it: change it outside of ion, or name another file',
    };
  }
  const entry = protect.find(({value}) =>
    value.startsWith('/')
      ? isWithin(target, value) || isWithin(value, target)
      : `${target}/`.includes(`/${value}/`) ||
        foldersOf(value).some((folder) => target.endsWith(`/${folder}`)),
  );
  if (entry) {
    const why = `protected by sandbox.protect ${quoted(entry.value)}`;
    return {why, origin: entry.origin, help: 'take the entry out of sandbox.protect to allow it'};
  }
  const frame = Object.entries(frames).find(
    ([, {value}]) => isWithin(target, value) || isWithin(value, target),
  );
  if (!frame) return undefined;
  const [name, {value, origin}] = frame;
  return {
    why: `${isWithin(target, value) ? 'in' : 'it holds'} the frame ${quoted(name)}, which is not the active one`,
    origin,
    help: `permissions.frame = ${tomlString(name)} in ~/.ion/config.toml makes it the active one`,
  };
}

/** `a/b/c` → `a`, `a/b`. */
function foldersOf(relative: string): string[] {
  const names = relative.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}
