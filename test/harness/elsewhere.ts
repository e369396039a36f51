import {copyFileSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {execFile, ionFile, shellFile} from './package.ts';
import type {Scratch} from './scratch.ts';
import {writeFiles} from './scratch.ts';

/** Inputs that a shipped ion takes from the machine, and that no variable changes. */
export interface Elsewhere {
  /** Replaces `/etc/ion/config.toml`. */
  readonly machineConfig: string;
  /** Replaces the home of the passwd entry. */
  readonly passwdHome: string;
}

/**
 * The same ion with other paths of the machine: a copy of its start file, whose last call gets the paths. Other suites do
 * not use the copy, and a shipped ion has no such option.
 */
export function ionElsewhere(scratch: Scratch, places: Elsewhere): string {
  writeFiles(scratch, {'/ion-elsewhere.cjs': startElsewhere(places)});
  return path.join(scratch.root, 'ion-elsewhere.cjs');
}

/** The same for ion-sh and ion-exec, which find the start file by their own path. Returns their folder. */
export function shellElsewhere(
  scratch: Scratch,
  places: Elsewhere = {machineConfig: `${scratch.root}/none.toml`, passwdHome: scratch.home},
): string {
  writeFiles(scratch, {
    '/ion/bin/ion': startElsewhere(places),
    '/ion/bin/package.json': '{"type":"commonjs"}',
    '/ion/bin/node.path': `${process.execPath}\n`,
  });
  const folder = path.join(scratch.root, 'ion/bin');
  for (const file of [shellFile, execFile]) copyFileSync(file, path.join(folder, path.basename(file)));
  return folder;
}

function startElsewhere(places: Elsewhere): string {
  const start = readFileSync(ionFile, 'utf8');
  const changed = start
    .replace(/load\('ion'\)\.main\(root\)/, `load('ion').main(root, ${JSON.stringify(places)})`)
    .replace('path.dirname(__dirname)', JSON.stringify(path.dirname(path.dirname(ionFile))));
  if (changed === start || !changed.includes(places.passwdHome))
    throw new Error('bin/ion starts ion in another way');
  return changed;
}
