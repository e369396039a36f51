// Downloads Debian's kernel packages and unpacks them into a cache outside the repository. It installs nothing and does not
// change the machine's apt: the package lists of the other suites are in the cache too.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {homedir} from 'node:os';
import path from 'node:path';
import {globSync} from '../glob.mjs';
import {kernels} from './kernels.mjs';

export const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'ion-kernels');

const sources = path.join(cache, 'apt/sources.list');
const lists = path.join(cache, 'apt/lists');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const weekMs = 7 * 24 * 60 * 60 * 1000;
const variants = /-(dbg|rt|cloud|unsigned)(-|$)/;

/** The newest package of this kernel: {image, modules, release}; `release` is the output of uname -r. */
export function fetchKernel(kernel) {
  refreshLists();
  const name = newestPackage(kernel);
  const folder = path.join(cache, 'kernels', name);
  if (!existsSync(folder)) unpack(name, kernel.suite, folder);
  const all = ['lib/modules', 'usr/lib/modules'].map((one) => path.join(folder, one)).find(existsSync);
  const [release] = readdirSync(all);
  const image = globSync(folder, '').find((file) => path.basename(file).startsWith('vmlinuz'));
  return {image: path.join(folder, image), modules: path.join(all, release), release};
}

function refreshLists() {
  if (existsSync(sources) && Date.now() - statSync(sources).mtimeMs < weekMs) return;
  mkdirSync(path.join(lists, 'partial'), {recursive: true});
  // Packages of experimental depend on packages of sid.
  const suites = [...new Set([...kernels.map(({suite}) => suite), 'sid'])];
  const line = (suite) => `deb [signed-by=${keyring}] http://deb.debian.org/debian ${suite} main\n`;
  writeFileSync(`${sources}.new`, suites.map(line).join(''));
  apt('apt-get', ['update', '-qq'], `${sources}.new`);
  renameSync(`${sources}.new`, sources);
}

function newestPackage({id, image}) {
  const names = apt('apt-cache', ['pkgnames', 'linux-image-'])
    .split('\n')
    .filter((name) => image.test(name) && !variants.test(name));
  const byVersion = (a, b) => a.localeCompare(b, 'en', {numeric: true});
  const name = names.sort(byVersion).at(-1);
  if (!name) throw new Error(`Debian has no kernel package for ${id}`);
  return name;
}

function unpack(name, suite, folder) {
  const half = `${folder}.${process.pid}`;
  const debs = `${half}.debs`;
  mkdirSync(half, {recursive: true});
  mkdirSync(debs);
  try {
    apt('apt-get', ['download', '-qq', ...partsOf(name)], sources, debs);
    for (const deb of readdirSync(debs)) execFileSync('dpkg', ['-x', path.join(debs, deb), half]);
    renameSync(half, folder);
  } finally {
    rmSync(debs, {recursive: true, force: true});
    rmSync(half, {recursive: true, force: true});
  }
}

/** Newer packages only depend on those with the kernel and its modules. */
function partsOf(name) {
  const version = name.replace(/^linux-image/, '');
  const depends = apt('apt-cache', ['depends', '--no-recommends', '--no-suggests', name]);
  return [name, ...['linux-binary', 'linux-modules'].map((part) => part + version)].filter(
    (part) => part === name || depends.includes(`Depends: ${part}`),
  );
}

function apt(program, args, list = sources, cwd = cache) {
  const settings = {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': lists,
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  return execFileSync(program, [...options, ...args], {cwd, encoding: 'utf8', maxBuffer: 64 << 20});
}
