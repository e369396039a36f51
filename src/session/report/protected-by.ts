import {settingForms} from '../../config/set-option.ts';
import {quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import type {RefusedBy, RefusingSettings} from './refusal.ts';

/**
 * `unprotect` lifts only the defaults. This finds the setting that protects `target` beside the defaults, and what allows it.
 * Pure.
 */
export function protectedBy(
  target: string,
  {
    protect,
    frames,
    trustedFiles,
    eventsFile,
  }: Pick<RefusingSettings, 'protect' | 'frames' | 'trustedFiles' | 'eventsFile'>,
): RefusedBy | undefined {
  // A folder is protected for the files in it: a process that renames it could put another one in its place.
  const config = trustedFiles.find((file) => isWithin(file, target));
  if (config !== undefined) {
    const what = config === target ? '' : 'it contains ';
    return {
      why: `${what}a config that this run obeys: a change would change the rules of the next run`,
      origin: {layer: 'default'},
      help: 'no setting allows it: change it outside ion',
    };
  }
  if (eventsFile !== undefined && isWithin(eventsFile, target)) {
    return {
      why: '--events writes the events of this run to it',
      origin: {layer: 'default'},
      help: 'no setting allows it: change it outside ion, or name another file',
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
    return {why, origin: entry.origin, help: 'remove the entry from sandbox.protect to allow it'};
  }
  const frame = Object.entries(frames).find(
    ([, {value}]) => isWithin(target, value) || isWithin(value, target),
  );
  if (!frame) return undefined;
  const [name, {value, origin}] = frame;
  return {
    why: `${isWithin(target, value) ? 'in' : 'it contains'} the frame ${quoted(name)}, which is not active`,
    origin,
    help: settingForms('permissions.frame', name),
  };
}

/** `a/b/c` → `a`, `a/b`. */
function foldersOf(relative: string): string[] {
  const names = relative.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}
