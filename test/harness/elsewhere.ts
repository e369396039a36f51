import {copyFileSync, cpSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {execFile, ionFile, packageRoot, shellFile} from './package.ts';
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

/** The same for ion-sh and ion-exec, in a package of their own: they find it by their path. Returns their folder. */
export function shellElsewhere(
  scratch: Scratch,
  places: Elsewhere = {machineConfig: `${scratch.root}/none.toml`, passwdHome: scratch.home},
): string {
  const root = path.join(scratch.root, 'ion');
  const folder = path.join(root, 'bin');
  writeFiles(scratch, {
    '/ion/bin/ion': withPlaces(readFileSync(ionFile, 'utf8'), places),
    '/ion/bin/package.json': '{"type":"commonjs"}',
    '/ion/bin/node.path': `${process.execPath}\n`,
    '/ion/package.json': {link: `${packageRoot}/package.json`},
    '/ion/dist': {link: `${packageRoot}/dist`},
    '/ion/native': {link: `${packageRoot}/native`},
  });
  cpSync(`${packageRoot}/profiles`, `${root}/profiles`, {recursive: true});
  for (const file of [shellFile, execFile]) copyFileSync(file, path.join(folder, path.basename(file)));
  return folder;
}

function startElsewhere(places: Elsewhere): string {
  const start = withPlaces(readFileSync(ionFile, 'utf8'), places);
  return replaced(start, 'path.dirname(__dirname)', JSON.stringify(path.dirname(path.dirname(ionFile))));
}

function withPlaces(start: string, places: Elsewhere): string {
  return replaced(start, "load('ion').main(root)", `load('ion').main(root, ${JSON.stringify(places)})`);
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error('bin/ion starts ion in another way');
  return text.replace(from, to);
}
