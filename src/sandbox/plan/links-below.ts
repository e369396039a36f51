import {readdirSync, type Dirent} from 'node:fs';
import path from 'node:path';

/** More than any folder of settings or hooks has; a checkout inside `.claude/worktrees` has more, and is not looked through. */
const mostEntries = 2000;

/**
 * The links in these folders and all folders below them. `folders` may grow meanwhile, by what the links lead to: that is looked
 * through as well. Those near the top come first, and at most so many entries are looked at that a start does not take long.
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

/** None of what is no folder, or closed. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    return [];
  }
}
