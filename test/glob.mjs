import {readdirSync} from 'node:fs';
import path from 'node:path';

/** Files below `folder` whose names end with `suffix`, as sorted relative paths. (Node 20 has no fs.globSync.) */
export function globSync(folder, suffix) {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}
