import {readdirSync} from 'node:fs';
import {foldersUpTo} from '../../config/read/start-folder.ts';
import type {Root} from './roots.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/**
 * Roots that leave something out, as roots that do not. Landlock cannot deny below an allow: a folder that holds secrets
 * is granted entry by entry, and they are left out. A folder that is granted as a whole survives the atomic replacement
 * of a file in it (a rule on a file follows the inode), so this is done only where it must be.
 */
export function expandRoots(roots: readonly Root[]): Root[] {
  return roots.flatMap(({without, noExecute, ...root}) => {
    if (noExecute) return executingEntries(root, noExecute);
    return without
      ? entriesWithout(root.path, without).map((path) => ({...root, path, optional: true}))
      : [root];
  });
}

/** The whole is read; what executes is granted entry by entry. */
function executingEntries(root: Root, noExecute: readonly string[]): Root[] {
  const folder = realpathOrSame(root.path);
  const names = noExecute.map((path) => path.slice(folder.length + 1));
  const entries = entriesWithout(folder, names).map((path) => ({...root, path, optional: true}));
  return [{...root, grant: 'view'}, ...entries];
}

/** What the roots leave out, unless another one grants it: the current folder may be / or /etc in read mode. */
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

/** The entries of a folder but the named ones; a folder that holds one of them is taken apart in turn. */
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
