// A version manager such as pyenv puts scripts named python3 on PATH, each of which starts a dozen programs before the real one.
// Tests start Python hundreds of times.
import {closeSync, openSync, readSync} from 'node:fs';
import path from 'node:path';

/** PATH without the folders whose python3 is a script, if another folder has a real one. */
export function withoutShims(words) {
  const folders = words.split(path.delimiter);
  const kinds = folders.map((folder) => startOf(path.join(folder, 'python3')));
  const isReal = (start) => start !== undefined && start !== '#!';
  return kinds.some(isReal) ? folders.filter((_, at) => kinds[at] !== '#!').join(path.delimiter) : words;
}

/** The first two bytes of a file; undefined without one that this process may read. */
function startOf(file) {
  let descriptor;
  try {
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(2);
    readSync(descriptor, bytes, 0, 2, 0);
    return bytes.toString('latin1');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
