import {readdirSync, type Dirent} from 'node:fs';
import path from 'node:path';

/** No folder of settings or hooks has so many entries. A checkout inside `.claude/worktrees` has more, so it is not searched. */
const mostEntries = 2000;

/**
 * Yields the links in these folders and in all folders below them. The caller may add the targets of links to `folders`
 * meanwhile: they are searched too. Entries near the top come first. The number of entries is limited, so that a start stays fast.
 */
export function* linksBelow(
  folders: Iterable<string>,
  isLeftOut: (folder: string) => boolean,
): Generator<string> {
  let looked = 0;
  for (const folder of folders) {
    if (isLeftOut(folder)) continue;
    const queue = [folder];
    for (let next = queue.shift(); next !== undefined && looked < mostEntries; next = queue.shift()) {
      for (const entry of entriesOf(next)) {
        looked++;
        const file = path.join(next, entry.name);
        if (entry.isSymbolicLink()) yield file;
        else if (entry.isDirectory()) queue.push(file);
      }
    }
  }
}

/** The entries of a folder. Empty if it is not a folder, or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    return [];
  }
}
