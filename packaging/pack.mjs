// Makes a Debian package and a tarball for each architecture, from the package that "npm pack" makes. They need no npm: the
// bundles in dist/ hold every dependency. Needs the prebuilds (npm run prebuilds), tar and dpkg-deb.
// usage: node packaging/pack.mjs <folder for the results> [arch ...]; default: x64 and arm64
import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const debianNames = {x64: 'amd64', arm64: 'arm64'};
/** The files of the npm package, without the sources of the native part: only npm's install step builds those. */
const parts = ['package.json', 'LICENSE', 'README.md', 'bin', 'lib', 'dist', 'profiles', 'src'];
const scripts = ['finish.mjs', 'starters.mjs', 'code-cache.mjs'];
const programs = ['ion', 'ion-sandbox', 'ion-sh', 'ion-exec'];

const [out, ...wanted] = process.argv.slice(2);
if (!out) throw new Error('usage: node packaging/pack.mjs <folder> [arch ...]');
mkdirSync(out, {recursive: true});
const {version, description, license, author} = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
);
const scratch = mkdtempSync(path.join(tmpdir(), 'ion-pack-'));
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));
run('npm', ['pack', '--silent', '--pack-destination', scratch], root);
run('tar', ['xf', `ion-sandbox-${version}.tgz`], scratch);
for (const arch of wanted.length > 0 ? wanted : Object.keys(debianNames)) {
  const folder = stage(arch);
  makeTarball(folder, arch);
  makeDebian(folder, arch);
}

function run(program, args, cwd) {
  execFileSync(program, args, {cwd, stdio: ['ignore', 'ignore', 'inherit']});
}

/** The files of one architecture, in a folder of its own. */
function stage(arch) {
  const from = path.join(scratch, 'package');
  const prebuild = `prebuilds/linux-${arch}`;
  if (!existsSync(path.join(from, prebuild))) throw new Error(`no prebuild for ${arch}: npm run prebuilds`);
  const folder = path.join(scratch, arch, 'ion-sandbox');
  mkdirSync(path.join(folder, 'native'), {recursive: true});
  for (const part of [...parts, prebuild])
    cpSync(path.join(from, part), path.join(folder, part), {recursive: true});
  for (const name of scripts)
    copyFileSync(path.join(from, 'native', name), path.join(folder, 'native', name));
  for (const name of ['ion-sh', 'ion-exec'])
    copyFileSync(path.join(folder, prebuild, 'ion-starter'), path.join(folder, 'bin', name));
  return folder;
}

function makeTarball(folder, arch) {
  const script = path.join(folder, 'install.sh');
  copyFileSync(path.join(here, 'install.sh'), script);
  chmodSync(script, 0o755);
  const file = path.resolve(out, `ion-sandbox-${version}-linux-${arch}.tar.gz`);
  run(
    'tar',
    ['czf', file, '--owner=root', '--group=root', '--sort=name', 'ion-sandbox'],
    path.dirname(folder),
  );
  rmSync(script);
}

function makeDebian(folder, arch) {
  const tree = path.join(scratch, arch, 'debian');
  const installed = path.join(tree, 'usr/lib/ion-sandbox');
  cpSync(folder, installed, {recursive: true});
  mkdirSync(path.join(tree, 'usr/bin'));
  for (const name of programs)
    symlinkSync(
      `../lib/ion-sandbox/bin/${name === 'ion-sandbox' ? 'ion' : name}`,
      path.join(tree, 'usr/bin', name),
    );
  const control = path.join(tree, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(
    path.join(control, 'control'),
    `Package: ion-sandbox
Version: ${version}
Architecture: ${debianNames[arch]}
Maintainer: ${author}
Section: utils
Priority: optional
Depends: nodejs (>= 20), bash
License: ${license}
Description: ${description}
`,
  );
  for (const name of ['postinst', 'prerm']) {
    copyFileSync(path.join(here, name), path.join(control, name));
    chmodSync(path.join(control, name), 0o755);
  }
  run('dpkg-deb', [
    '--root-owner-group',
    '--build',
    tree,
    path.resolve(out, `ion-sandbox_${version}_${debianNames[arch]}.deb`),
  ]);
}
