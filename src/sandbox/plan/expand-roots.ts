import {readdirSync} from 'node:fs';
import {foldersUpTo} from '../../config/read/start-folder.ts';
import type {Root} from './roots.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/**
 * Replaces each root that leaves something out by roots that leave nothing out. Landlock cannot deny below an allow. So ion
 * grants a folder with secrets entry by entry, without the secrets. It does this only where necessary: in a folder that is
 * granted as a whole, a file stays readable when another process replaces it. A rule on a file follows the inode.
 */
export function expandRoots(roots: readonly Root[]): Root[] {
  return roots.flatMap(({without, noExecute, ...root}) => {
    if (noExecute) return executingEntries(root, noExecute);
    return without
      ? entriesWithout(root.path, without).map((path) => ({...root, path, optional: true}))
      : [root];
  });
}

/** The whole folder is readable. Execution is granted entry by entry. */
function executingEntries(root: Root, noExecute: readonly string[]): Root[] {
  const folder = realpathOrSame(root.path);
  const names = noExecute.map((path) => path.slice(folder.length + 1));
  const entries = entriesWithout(folder, names).map((path) => ({...root, path, optional: true}));
  return [{...root, grant: 'view'}, ...entries];
}

/** The paths that the roots leave out and that no other root grants. In read mode the current folder may be / or /etc. */
export function withheldBy(roots: readonly Root[]): string[] {
  const whole = new Set(
    roots
      .filter(({grant, without}) => !without && (grant === 'read' || grant === 'view' || grant === 'write'))
      .map(({path}) => path),
  );
  return roots
    .flatMap(({path, without = []}) => without.map((name) => `${path}/${name}`))
    .filter((path) => !foldersUpTo(path, '/').some((folder) => whole.has(folder)));
}

/** The entries of a folder without the named ones. A folder that contains a named one is split in the same way. */
function entriesWithout(folder: string, left: readonly string[]): string[] {
  const below = new Map<string, string[]>();
  for (const name of left) {
    const [first = '', ...rest] = name.split('/');
    below.set(first, [...(below.get(first) ?? []), ...(rest.length > 0 ? [rest.join('/')] : [])]);
  }
  return namesIn(folder).flatMap((name) => {
    const inside = below.get(name);
    const entry = `${folder}/${name}`;
    if (!inside) return [entry];
    return inside.length > 0 ? entriesWithout(entry, inside) : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
