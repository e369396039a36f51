// npm's install step. It uses the prebuild if that loads here, otherwise builds with a compiler, otherwise reports that ion
// falls back. It never fails: ion runs without the native part, and reports on every run what it cannot enforce.
import {spawnSync} from 'node:child_process';
import {accessSync, constants, existsSync} from 'node:fs';
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

/** The folder in which node-gyp-build finds the prebuild for this platform; undefined if the package has none. */
function prebuild() {
  try {
    const file = createRequire(import.meta.url)('node-gyp-build').resolve(root);
    // node-gyp-build also looks beside Node and where a variable points. ion loads only files of its own package.
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

function build() {
  // The headers of this Node, if they are installed beside it. Then nothing is downloaded.
  const prefix = path.dirname(path.dirname(process.execPath));
  const headers = existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
  const result = spawnSync(process.execPath, [nodeGyp(), 'rebuild', '-C', native, ...headers], {
    encoding: 'utf8',
  });
  if (result.status === 0) return undefined;
  return (
    `${result.stdout ?? ''}${result.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n') ||
    String(result.error)
  );
}

if (process.platform === 'linux') {
  const built = path.join(native, 'build/Release');
  const prebuilt = prebuild();
  const fromSource = process.env.npm_config_build_from_source === 'true';
  if (fromSource || !(works(built) || (prebuilt !== undefined && works(prebuilt)))) {
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
