// npm's install step. It uses the prebuild if that loads here, otherwise builds with a compiler, otherwise reports that ion
// falls back. It never fails: ion runs without the native part, and reports on every run what it cannot enforce.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {accessSync, constants, existsSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import {createRequire} from 'node:module';
import path from 'node:path';
import {finish} from './finish.mjs';

const native = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const root = path.dirname(native);

const programs = ['ion-launcher', 'ion-starter'];

/** Reports whether the native part in this folder loads and its programs start. */
function works(folder) {
  try {
    for (const name of programs) accessSync(path.join(folder, name), constants.X_OK);
    process.dlopen({exports: {}}, path.join(folder, 'ion.node'));
    return programs.every((name) => spawnSync(path.join(folder, name), ['--version']).status === 0);
  } catch {
    return false;
  }
}

/**
 * The folder in which node-gyp-build finds the prebuild for this platform; undefined if the package has none. A clone does not
 * use it, because it may be older than the sources.
 */
function prebuild() {
  if (existsSync(path.join(root, '.git'))) return undefined;
  try {
    const file = createRequire(import.meta.url)('node-gyp-build').resolve(root);
    // node-gyp-build also looks beside Node and in the folder that a variable names. ion loads only files of its own package.
    return file.startsWith(path.join(root, 'prebuilds') + path.sep) ? path.dirname(file) : undefined;
  } catch {
    return undefined;
  }
}

/** npm contains node-gyp, and puts its path into the environment of an install step. */
function nodeGyp() {
  if (process.env.npm_config_node_gyp) return process.env.npm_config_node_gyp;
  const require = createRequire(
    path.join(path.dirname(process.execPath), '../lib/node_modules/npm/package.json'),
  );
  return require.resolve('node-gyp/bin/node-gyp.js');
}

/** A hash of everything that the native part is made from. */
function sourcesHash() {
  const hash = createHash('sha256');
  const names = readdirSync(native, {recursive: true, encoding: 'utf8'}).sort();
  for (const name of names.filter((one) =>
    /^(addon|launcher|starter)\/.*\.(c|cc|h)$|^binding\.gyp$/.test(one),
  ))
    hash.update(`${name}\0`).update(readFileSync(path.join(native, name)));
  return hash.digest('hex');
}

const hashFile = path.join(native, 'build/sources.sha256');

/** Reports whether a clone has a build of these sources. A launcher that is older than ion would refuse its options. */
function isCurrent() {
  return existsSync(hashFile) && readFileSync(hashFile, 'utf8') === sourcesHash();
}

function build() {
  // The headers of this Node, if they are installed beside it. Then nothing is downloaded.
  const prefix = path.dirname(path.dirname(process.execPath));
  const headers = existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
  // Four at least, because a compiler also waits for the disk. Builds only changed parts, unless a build from source was
  // requested.
  const steps = fromSource ? ['rebuild'] : ['configure', 'build'];
  const jobs = ['--jobs', String(Math.max(4, os.availableParallelism?.() ?? 1))];
  const words = steps.map((step) => [nodeGyp(), step, '-C', native, ...jobs, ...headers]);
  // Sources that change during the build may not be in it: then the hash stays away, and the next call builds again.
  const before = sourcesHash();
  rmSync(hashFile, {force: true});
  let result;
  for (const one of words) {
    result = spawnSync(process.execPath, one, {encoding: 'utf8'});
    if (result.status !== 0) break;
  }
  if (result.status === 0) {
    if (sourcesHash() === before) writeFileSync(hashFile, before);
    return undefined;
  }
  return (
    `${result.stdout ?? ''}${result.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n') ||
    String(result.error)
  );
}

const fromSource = process.env.npm_config_build_from_source === 'true';

if (process.platform === 'linux') {
  const built = path.join(native, 'build/Release');
  const prebuilt = prebuild();
  // A run loads a build before a prebuild, so only a build of these sources may stay.
  const isUsable = existsSync(built)
    ? isCurrent() && works(built)
    : prebuilt !== undefined && works(prebuilt);
  if (fromSource || !isUsable) {
    let failure;
    try {
      failure = build() ?? (works(built) ? undefined : 'what was built does not load');
    } catch (error) {
      failure = error.message;
    }
    if (failure !== undefined) {
      console.error(
        `${failure}\n\nion: the native part could not be built: without it nothing is enforced by the kernel`,
      );
      console.error(
        `help: install a C and a C++ compiler, make and python3, then run: node '${path.join(native, 'install.mjs')}'`,
      );
    }
  }
}

finish(root);
