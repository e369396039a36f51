import {readFileSync} from 'node:fs';
import path from 'node:path';
import {ionFile} from './package.ts';
import type {Scratch} from './scratch.ts';
import {writeFiles} from './scratch.ts';

/** What a shipped ion takes from the machine, and no variable changes. */
export interface Elsewhere {
  /** In the place of `/etc/ion/config.toml`. */
  readonly machineConfig: string;
  /** In the place of the passwd entry's home. */
  readonly passwdHome: string;
}

/**
 * The same ion, told that the machine is another one: its own start file, whose last call gets the places. Other suites see nothing
 * of it, and what is shipped has no way to say so.
 */
export function ionElsewhere(scratch: Scratch, places: Elsewhere): string {
  const start = readFileSync(ionFile, 'utf8');
  const changed = start
    .replace(/load\('ion'\)\.main\(root\)/, `load('ion').main(root, ${JSON.stringify(places)})`)
    .replace('path.dirname(__dirname)', JSON.stringify(path.dirname(path.dirname(ionFile))));
  if (changed === start || !changed.includes(places.passwdHome))
    throw new Error('bin/ion starts ion in another way');
  writeFiles(scratch, {'/ion-elsewhere.cjs': changed});
  return path.join(scratch.root, 'ion-elsewhere.cjs');
}
