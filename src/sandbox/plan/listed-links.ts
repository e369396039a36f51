import {locationOf} from '../../config/read/origin.ts';
import type {Settings} from '../../config/settings.ts';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {readLink, wayOf, type Way} from '../../system/links.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';
import {workspaceFolder} from './workspace.ts';
import type {PlanInputs, Root} from './roots.ts';

/**
 * Refuses a listed root whose path crosses a symlink in a folder that runs write: an earlier run may have put the link there, to
 * open another folder to the next one. Throws an IonError (125).
 */
export function refuseLinksOfRuns(roots: readonly Root[], settings: Settings, inputs: PlanInputs): Root[] {
  if (!roots.some(({origin}) => origin)) return [...roots];
  // Read mode writes none of them, but an earlier run did.
  const written = [
    workspaceFolder(settings, inputs),
    inputs.temp,
    ...inputs.gitFolders,
    ...settings.writeRoots.map(({value}) => value),
  ].map((path) => realpathOrUndefined(path) ?? path);
  // A root that ion makes is checked while it is made.
  return roots.map((root) => (root.origin && !root.create ? checked(root, written) : root));
}

function checked(root: Root, written: readonly string[]): Root {
  const way = wayOrUndefined(root.path);
  if (!way) return root; // its own error is reported later
  const link = way.links.find((one) => written.some((folder) => one !== folder && isWithin(one, folder)));
  if (link !== undefined)
    throw new IonError(
      `cannot grant ${quoted(root.path)}: ${quoted(link)} is a symlink, which a run may have made`,
      {at: root.origin && locationOf(root.origin), help: 'list the path that it leads to'},
    );
  // Another run may replace a folder meanwhile.
  return way.links.length === 0 && way.isThere && way.end === root.path ? {...root, canonical: true} : root;
}

function wayOrUndefined(path: string): Way | undefined {
  try {
    return wayOf(path, readLink);
  } catch {
    return undefined;
  }
}
