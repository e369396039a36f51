// Puts ion-sh and ion-exec into bin/: copies of the static starter, and beside them the absolute path of the Node that they start.
// Without a starter (macOS, install scripts disabled) bin/ holds scripts that refuse.
// usage: node native/starters.mjs [missing]   missing: the refusing scripts, for the package that "npm pack" makes
import {spawnSync} from 'node:child_process';
import {chmodSync, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const names = ['ion-sh', 'ion-exec'];

/** Without `#!`: pnpm writes the program of that line into its own script, and would start the starter with it. */
const refusal = (name) => `# This is replaced when ion is installed.
echo 'ion: ${name} is not installed: the install script did not run, or this platform has no native part' >&2
echo 'help: npm rebuild ion-sandbox (with pnpm first: pnpm approve-builds); or use "ion run"' >&2
exit 125
`;

/** The starter of this machine: built here, otherwise the prebuild. */
function starterOf(root) {
  const folders = ['native/build/Release', `prebuilds/${process.platform}-${process.arch}`];
  return folders.map((folder) => path.join(root, folder, 'ion-starter')).find((file) => starts(file));
}

function starts(file) {
  return existsSync(file) && spawnSync(file, ['--version']).status === 0;
}

/**
 * npm runs an install step with the `node` that it finds on PATH, which a dependency may have brought. The Node that npm itself
 * runs with is safer.
 */
function nodeOf() {
  const {npm_node_execpath: ofNpm} = process.env;
  return ofNpm !== undefined && path.isAbsolute(ofNpm) && existsSync(ofNpm) ? ofNpm : process.execPath;
}

/** Each file is replaced by a rename: package managers link the files of one store, and a run may have one open. */
function put(target, write) {
  const folder = mkdtempSync(path.join(path.dirname(target), '.new-'));
  const file = path.join(folder, path.basename(target));
  write(file);
  renameSync(file, target);
  rmSync(folder, {recursive: true});
}

/** Returns whether this machine has a starter. */
export function placeStarters(root, {missing = false, node = nodeOf()} = {}) {
  const starter = missing ? undefined : starterOf(root);
  put(path.join(root, 'bin/node.path'), (file) => writeFileSync(file, `${node}\n`, {mode: 0o644}));
  for (const name of names) {
    put(path.join(root, 'bin', name), (file) => {
      if (starter === undefined) writeFileSync(file, refusal(name));
      else copyFileSync(starter, file);
      chmodSync(file, 0o755);
    });
  }
  return starter !== undefined;
}

/** Starts each of them as a caller would. Returns what is wrong, or undefined. */
export function testStarters(root) {
  for (const name of names) {
    const file = path.join(root, 'bin', name);
    const {stdout, stderr, error} = spawnSync(file, ['--ion-self-test'], {encoding: 'utf8', env: {}});
    if (stdout !== `${name} works\n`) return `${name}: ${error?.message ?? stderr.trim()}`;
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  placeStarters(path.dirname(path.dirname(process.argv[1])), {missing: process.argv[2] === 'missing'});
}
