// The last steps of an installation: the code cache for this Node, then ion-sh and ion-exec with this Node's path, tested.
// usage: node native/finish.mjs
import {existsSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {makeCodeCache} from './code-cache.mjs';
import {placeStarters, testStarters} from './starters.mjs';

/** Never fails: `ion run` works without either. In a clone the bundle does not exist yet: build.mjs does these steps later. */
export function finish(root) {
  const isBuilt = existsSync(path.join(root, 'dist/ion.cjs'));
  try {
    if (isBuilt) makeCodeCache(root);
    const isPlaced = placeStarters(root);
    const problem = isPlaced && isBuilt ? testStarters(root) : undefined;
    if (problem === undefined) return;
    placeStarters(root, {missing: true});
    console.error(`ion: ion-sh and ion-exec do not work here, and refuse: ${problem}`);
  } catch (error) {
    console.error(`ion: ion-sh and ion-exec could not be installed: ${error.message}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(path.dirname(path.dirname(process.argv[1])));
