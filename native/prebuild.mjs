// Makes the prebuilds: the addon by prebuildify, the launcher and the starter beside it. arm64 is cross-compiled with Debian's toolchain
// (packages gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu).
// usage: node native/prebuild.mjs [arch ...]; default: arm64 and x64.
import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, rmSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const source = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(source);
// Built in a copy, because native/build belongs to this machine's architecture.
const native = path.join(root, 'build/prebuild/native');
rmSync(native, {recursive: true, force: true});
cpSync(source, native, {recursive: true, filter: (file) => file !== path.join(source, 'build')});
const compilers = {
  arm64: {CC: 'aarch64-linux-gnu-gcc', CXX: 'aarch64-linux-gnu-g++'},
  x64: {CC: 'gcc', CXX: 'g++'},
};
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(compilers);

for (const arch of wanted) {
  if (!compilers[arch]) throw new Error(`no compiler is known for ${arch}`);
  const prefix = path.dirname(path.dirname(process.execPath));
  const headers = existsSync(path.join(prefix, 'include/node/node_api.h'))
    ? {npm_config_nodedir: prefix}
    : {};
  const {status, error} = spawnSync(
    process.execPath,
    [
      path.join(root, 'node_modules/prebuildify/bin.js'),
      ...['--napi', '--name', 'ion', '--arch', arch, '--platform', 'linux', '--cwd', native, '--out', root],
      // prebuildify includes only .node files. The programs are added as artifacts.
      ...[
        '--postinstall',
        'mkdir -p build/artifacts && cp build/Release/ion-launcher build/Release/ion-starter build/artifacts/',
      ],
      ...['--artifacts', path.join(native, 'build/artifacts')],
    ],
    {stdio: 'inherit', cwd: native, env: {...process.env, ...headers, ...compilers[arch]}},
  );
  if (status !== 0) throw new Error(`prebuildify failed for ${arch}: ${error?.message ?? `exit ${status}`}`);
}
