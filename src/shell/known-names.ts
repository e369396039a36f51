/**
 * The names of all programs in the tables. A command that uses no such program is analysed without the tables. They are a
 * third of the code that a run would load, so build.mjs puts them into files of their own. A test compares the names with
 * the tables.
 */

/** The programs of wrapper-table.ts and special-wrappers.ts. */
export const wrapperNames = names(
  '. [ alias asdf ash bash builtin bun bundle bunx busybox caffeinate catchsegv cgexec choom chronic',
  'chroot chrt command compgen complete csh daemonize dash dbus-run-session declare direnv doas docker',
  'dotenv eatmydata entr env eval exec export fakeroot faketime find fish flock fzf gdb getopts git',
  'gmake hash hyperfine ifne ionice jobs ksh ksh93 kubectl let linux32 linux64 lldb local ltrace make man',
  'mapfile mise mksh nice nodemon nohup npm npx nsenter numactl parallel pdm pipenv pkexec pnpm pnpx',
  'podman poetry printf prlimit proxychains proxychains4 pyenv rbash rbenv read readarray readonly rg',
  'rlwrap rsync run-one run0 runuser rye scp script setarch setpriv setsid sftp sh sort source ssh',
  'start-stop-daemon stdbuf strace su sudo systemd-inhibit systemd-run tar taskset tcsh test time',
  'timeout tini torify torsocks toybox trap ts typeset uclampset unbuffer unset unshare uv valgrind',
  'wait watch with-contenv xargs xvfb-run yarn zsh',
);

/** The programs of destructive-table.ts. */
export const destructiveNames = names(
  'apt apt-get aws az blkdiscard bun cargo cfdisk chgrp chmod chown clickhouse-client crontab',
  'cryptsetup dd diskutil dnf docker dropdb dropuser duckdb fdisk find flit gcloud gdisk gem gh git',
  'helm kill killall kubectl lvremove mariadb mke2fs mkfs mkswap mongo mongosh mvn mysql npm parted',
  'pkill pnpm podman poetry psql pulumi redis-cli rm rsync sfdisk sgdisk shred sqlite3 terraform tofu',
  'truncate twine unlink userdel uv vgremove wipefs yarn yum zfs zpool',
);

/** Safe programs that start other programs by name, found on PATH. `git submodule` is a script of git's. */
const starts: Readonly<Record<string, readonly string[]>> = {
  egrep: ['grep'],
  fgrep: ['grep'],
  zcat: ['gzip'],
  gunzip: ['gzip'],
  zgrep: ['grep', 'gzip', 'sed', 'expr'],
  tar: ['gzip', 'bzip2', 'xz', 'zstd', 'lzma', 'lzip', 'lzop', 'compress'],
  npm: ['node'],
  dpkg: ['dpkg-query'],
  'git submodule': ['sh', 'basename', 'sed', 'uname', 'git', 'gettext', 'envsubst'],
};

/** The programs that a safe command starts itself, by the names that it uses. */
export function startedBy([program, ...args]: readonly {readonly text: string}[]): readonly string[] {
  const name = program?.text.replace(/^.*\//s, '') ?? '';
  const submodule = name === 'git' && args.some(({text}) => text === 'submodule');
  const key = submodule ? 'git submodule' : name;
  return Object.hasOwn(starts, key) ? starts[key]! : [];
}

function names(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}
