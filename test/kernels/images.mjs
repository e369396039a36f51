// The images that a guest boots from: an initramfs with the modules for its disk, this machine's userland as a disk, and a
// disk with the files to test. All but the last are cached.
import {execFileSync, spawnSync} from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {cache} from './fetch.mjs';

const here = import.meta.dirname;
const diskModules = ['virtio_pci', 'virtio_blk', 'ext4', 'crc32c_generic', 'crc32c-intel'];
/** Modules that a kernel loads by itself for the first socket of a kind. A guest has no modules to load them from. */
const socketModules = ['unix_diag', 'tcp_diag', 'udp_diag', 'af_packet', 'vsock', 'vsock_loopback'];
/** For file-systems.ts. Casefolding is part of the kernel and ext4. */
const fileSystemModules = ['loop', 'vfat', 'nls_cp437', 'nls_ascii'];
const wantedModules = [...diskModules, ...socketModules, ...fileSystemModules];
const applets = ['sh', 'mount', 'insmod', 'switch_root', 'mkdir', 'sleep', 'cat', 'ls', 'poweroff'];

/** An initramfs for this kernel; see initramfs-init.sh. */
export function makeInitramfs({modules, release}) {
  const script = readFileSync(path.join(here, 'initramfs-init.sh'), 'utf8');
  return cached(
    `initramfs-${release}.img`,
    `${script}${wantedModules.join(' ')}${librariesOf('/bin/busybox').join(' ')}`,
    (target) => {
      const folder = mkdtempSync(path.join(cache, 'initramfs-'));
      for (const name of ['bin', 'modules', 'proc', 'sys', 'dev', 'newroot'])
        mkdirSync(path.join(folder, name));
      copyFileSync('/bin/busybox', path.join(folder, 'bin/busybox'));
      for (const library of librariesOf('/bin/busybox')) {
        mkdirSync(path.join(folder, path.dirname(library)), {recursive: true});
        copyFileSync(library, path.join(folder, library));
      }
      for (const applet of applets) symlinkSync('busybox', path.join(folder, 'bin', applet));
      copyFileSync(path.join(here, 'initramfs-init.sh'), path.join(folder, 'init'));
      chmodSync(path.join(folder, 'init'), 0o755);
      const order = modulesInOrder(modules, release).map((file) => unpackModule(file, folder));
      writeFileSync(path.join(folder, 'order'), order.map((name) => `${name}\n`).join(''));
      shell(`cd "$1" && find . | cpio -o -H newc 2>/dev/null | gzip -1 > "$2"`, folder, target);
      rmSync(folder, {recursive: true});
    },
  );
}

/** The loader and the shared libraries of a program. None of a static one. */
function librariesOf(program) {
  const {stdout} = spawnSync('ldd', [program], {encoding: 'utf8'});
  return [...stdout.matchAll(/(?:^|=>)\s*(\/\S+) \(0x/gm)].map(([, library]) => library);
}

/** The modules that modprobe would load for the disk, each after its dependencies. */
function modulesInOrder(modules, release) {
  const base = path.dirname(path.dirname(path.dirname(modules)));
  // modprobe reads lib/modules; newer packages have usr/lib/modules.
  const top = path.basename(base) === 'usr' ? path.dirname(base) : base;
  if (!existsSync(path.join(top, 'lib'))) symlinkSync('usr/lib', path.join(top, 'lib'));
  execFileSync('depmod', ['-b', top, release], {stdio: 'ignore'});
  const lines = wantedModules.flatMap((name) => {
    try {
      const args = ['-d', top, '-S', release, '--show-depends', name];
      return execFileSync('modprobe', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).split(
        '\n',
      );
    } catch {
      return []; // built in, or no longer exists
    }
  });
  return [...new Set(lines.flatMap((line) => /^insmod (\S+)/.exec(line)?.[1] ?? []))];
}

const unpackers = {'.xz': 'xz', '.zst': 'zstd'};

function unpackModule(file, folder) {
  const ending = path.extname(file);
  const name = path.basename(file).replace(/\.(xz|zst)$/, '');
  const target = path.join(folder, 'modules', name);
  const unpacker = unpackers[ending];
  if (unpacker) shell(`"$1" -dc "$2" > "$3"`, unpacker, file, target);
  else copyFileSync(file, target);
  return name;
}

/** Folders that no program in a guest needs, and that take most of the space. */
const leftOut = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/icons',
  'usr/share/fonts',
  'usr/src',
  'usr/include/node',
  'usr/local',
  'usr/lib/jvm',
  'usr/lib/google-cloud-sdk',
  'usr/lib/llvm-*',
  'usr/lib/go-*',
  'usr/lib/modules',
  'usr/lib/firmware',
  'usr/libexec/valgrind',
  'etc/shadow*',
  'etc/gshadow*',
  'etc/ssl/private',
];
const topLinks = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const topFolders = 'dev proc sys run tmp var/tmp var/lib home root/.cache tested'.split(' ');

/** Only this machine's /usr and /etc, as an ext4 file system. */
export function makeUserland() {
  const node = process.version;
  return cached(`userland-${node}.ext4`, leftOut.join(' '), (target) => {
    const folder = mkdtempSync(path.join(cache, 'userland-'));
    chmodSync(folder, 0o755);
    const excludes = leftOut.map((name) => `--exclude=./${name}`).join(' ');
    shell(
      `tar -C / ${excludes} --ignore-failed-read -cf - ./usr ./etc 2>/dev/null | tar -C "$1" -xf -`,
      folder,
    );
    for (const name of topLinks.filter((one) => existsSync(`/${one}`)))
      symlinkSync(`usr/${name}`, path.join(folder, name));
    for (const name of topFolders) mkdirSync(path.join(folder, name), {recursive: true});
    mkdirSync(path.join(folder, 'usr/local/bin'), {recursive: true});
    copyFileSync(process.execPath, path.join(folder, 'usr/local/bin/node'));
    // Root and one other user, whatever users this machine has.
    const accounts = 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n';
    writeFileSync(
      path.join(folder, 'etc/passwd'),
      `${accounts}ion-test:x:1001:1001::/home/ion-test:/bin/bash\n`,
    );
    writeFileSync(
      path.join(folder, 'etc/group'),
      'root:x:0:\ntty:x:5:\nnogroup:x:65534:\nion-test:x:1001:\n',
    );
    writeFileSync(path.join(folder, 'etc/shadow'), 'root:*:19000::::::\nion-test:*:19000::::::\n', {
      mode: 0o600,
    });
    mkdirSync(path.join(folder, 'home/ion-test'));
    shell('chown 1001:1001 "$1/home/ion-test" && chmod 1777 "$1/tmp" "$1/var/tmp"', folder);
    makeDisk(folder, target, 1500);
    rmSync(folder, {recursive: true});
  });
}

/** `folder` as an ext4 file system with this many free megabytes. */
export function makeDisk(folder, target, roomMb) {
  const used = Number(execFileSync('du', ['-sm', folder], {encoding: 'utf8'}).split('\t')[0]);
  const size = Math.ceil(used * 1.15) + roomMb;
  execFileSync('mke2fs', [
    '-q',
    '-F',
    '-t',
    'ext4',
    '-O',
    '^metadata_csum_seed,^orphan_file',
    '-d',
    folder,
    target,
    `${size}M`,
  ]);
}

/** Empty file systems that accept several spellings of one name, for file-systems.ts. */
export function makeFileSystems(folder) {
  mkdirSync(folder);
  execFileSync('mkfs.vfat', ['-C', path.join(folder, 'vfat.img'), String(32 << 10)], {stdio: 'ignore'});
  const casefold = ['-q', '-t', 'ext4', '-O', 'casefold,^has_journal,^metadata_csum_seed,^orphan_file'];
  execFileSync('mke2fs', [...casefold, path.join(folder, 'casefold.img'), '32M']);
}

/** Makes the file once, and again when its inputs have changed. */
function cached(name, by, make) {
  const target = path.join(cache, name);
  const stamp = `${target}.from`;
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === by) return target;
  const half = `${target}.${process.pid}`;
  make(half);
  renameSync(half, target);
  writeFileSync(stamp, by);
  return target;
}

function shell(script, ...args) {
  execFileSync('bash', ['-euo', 'pipefail', '-c', script, 'bash', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
