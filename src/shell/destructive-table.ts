import type {Word} from './analysis.ts';
import {hasOption, operandsOf} from './subcommands.ts';

/** One way to lose something. `words` are those behind the program and its global options. */
export interface DestructiveRow {
  readonly what: string;
  readonly when: (words: readonly Word[]) => boolean;
  /** The words that name what is lost. */
  readonly paths?: (words: readonly Word[]) => readonly Word[];
  /** What is lost, where that is no path of the command. */
  readonly scope?: string;
  /** Set where the loss is not in files at all: a registry, a cluster, a remote repository. */
  readonly outside?: boolean;
  readonly advice: string;
}

const always = (): boolean => true;
const first =
  (...names: string[]) =>
  (words: readonly Word[]): boolean =>
    names.includes(words[0]?.text ?? '');
const starts =
  (...names: string[]) =>
  (words: readonly Word[]): boolean =>
    names.every((name, index) => operandsOf(words)[index]?.text === name);
const any =
  (...names: string[]) =>
  (words: readonly Word[]): boolean =>
    hasOption(words, ...names);
const both =
  (...tests: ((words: readonly Word[]) => boolean)[]) =>
  (words: readonly Word[]): boolean =>
    tests.every((test) => test(words));
const not =
  (test: (words: readonly Word[]) => boolean) =>
  (words: readonly Word[]): boolean =>
    !test(words);
const matches =
  (pattern: RegExp) =>
  (words: readonly Word[]): boolean =>
    words.some(({text}) => pattern.test(text));
const rest = (words: readonly Word[]): readonly Word[] => operandsOf(words).slice(1);

const noUndo = 'there is no undo: look at the list of files first, and move them to a folder instead';
const fromBackup = 'only a backup brings it back';
const published = 'what is published stays published: most registries only let you deprecate or yank it';

/** Words before a plus sign or starred ref: `git push origin +main`. */
const forcedRef = /^\+./;

export const destructiveRows: Readonly<Record<string, readonly DestructiveRow[]>> = {
  rm: [
    {
      what: 'deletes folders and everything in them',
      when: any('-r', '-R', '--recursive'),
      paths: operandsOf,
      advice: noUndo,
    },
    {
      what: 'deletes files without asking',
      when: both(any('-f', '--force'), not(any('-r', '-R', '--recursive'))),
      paths: operandsOf,
      advice: noUndo,
    },
  ],
  rmdir: [],
  unlink: [{what: 'deletes a file', when: always, paths: operandsOf, advice: noUndo}],
  find: [
    {
      what: 'deletes what find finds',
      when: (words) => words.some(({text}) => text === '-delete'),
      paths: findRoots,
      advice: 'run it with -print instead of -delete first',
    },
  ],
  git: [
    {
      what: 'throws away uncommitted changes',
      when: both(first('reset'), any('--hard', '--merge', '--keep')),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first; commits left behind are in git reflog',
    },
    {
      what: 'deletes untracked files',
      when: both(first('clean'), any('-f', '--force'), not(any('-n', '--dry-run'))),
      scope: 'untracked files',
      advice: 'git clean -n lists them; git stash -u keeps them',
    },
    {
      what: 'overwrites the history of a remote branch',
      when: both(
        first('push'),
        (words) =>
          hasOption(words, '-f', '--force', '--force-with-lease', '--force-if-includes', '--mirror') ||
          matches(forcedRef)(words),
      ),
      scope: 'remote branch',
      outside: true,
      advice: 'the old commits are in the reflog of whoever had them: push them again',
    },
    {
      what: 'deletes a remote branch or tag',
      when: both(
        first('push'),
        (words) => hasOption(words, '--delete', '-d', '--prune') || matches(/^:./)(words),
      ),
      scope: 'remote branch',
      outside: true,
      advice: 'push the commit again under that name',
    },
    {
      what: 'deletes a branch that may not be merged',
      when: both(
        first('branch'),
        (words) =>
          hasOption(words, '-D') || (hasOption(words, '-d', '--delete') && hasOption(words, '-f', '--force')),
      ),
      paths: undefinedPaths,
      scope: 'local branch',
      advice: 'git reflog has its last commit; git branch NAME COMMIT brings it back',
    },
    {
      what: 'rewrites the history of the repository',
      when: first('filter-branch', 'filter-repo'),
      scope: 'all commits',
      advice: 'refs/original has the old refs until they are deleted; better: work on a clone',
    },
    {
      what: 'forgets where branches have been',
      when: both(first('reflog'), (words) => ['expire', 'delete'].includes(words[1]?.text ?? '')),
      scope: 'reflog',
      advice: 'commits without a branch can not be found again after the next gc',
    },
    {
      what: 'deletes commits that no branch has',
      when: both(first('gc'), matches(/^--prune=(now|all)/)),
      scope: 'unreachable commits',
      advice: fromBackup,
    },
    {
      what: 'deletes objects that no branch has',
      when: both(first('prune'), not(any('-n', '--dry-run'))),
      scope: 'unreachable commits',
      advice: fromBackup,
    },
    {
      what: 'throws away stashed changes',
      when: both(first('stash'), (words) => ['drop', 'clear'].includes(words[1]?.text ?? '')),
      scope: 'stash',
      advice: 'git fsck --unreachable finds the commits of a dropped stash for a while',
    },
    {
      what: 'overwrites uncommitted changes in files',
      when: both(
        first('checkout'),
        (words) => hasOption(words, '-f', '--force') || words.some(({text}) => text === '--' || text === '.'),
      ),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'overwrites uncommitted changes in files',
      when: both(
        first('restore'),
        (words) => !hasOption(words, '--staged', '-S') || hasOption(words, '--worktree', '-W'),
      ),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'throws away uncommitted changes',
      when: both(first('switch'), any('-f', '--force', '--discard-changes')),
      scope: 'uncommitted changes in the work tree',
      advice: 'git stash first',
    },
    {
      what: 'deletes tracked files',
      when: both(first('rm'), not(any('--cached', '-n', '--dry-run'))),
      paths: rest,
      advice: 'git restore --staged --worktree brings back what was committed',
    },
    {
      what: 'deletes a work tree with uncommitted changes',
      when: both(first('worktree'), starts('worktree', 'remove'), any('-f', '--force')),
      paths: (words) => operandsOf(words).slice(2),
      advice: noUndo,
    },
    {
      what: 'deletes a ref',
      when: both(first('update-ref'), any('-d', '--delete')),
      scope: 'ref',
      advice: 'git reflog may have its last commit',
    },
    {
      what: 'deletes a tag',
      when: both(first('tag'), any('-d', '--delete')),
      scope: 'tag',
      advice: 'git tag NAME COMMIT brings it back',
    },
  ],
  dd: [{what: 'overwrites its output', when: matches(/^of=/), paths: outputOfDd, advice: fromBackup}],
  mkfs: [
    {what: 'makes a new file system', when: always, paths: operandsOf, outside: true, advice: fromBackup},
  ],
  mke2fs: [
    {what: 'makes a new file system', when: always, paths: operandsOf, outside: true, advice: fromBackup},
  ],
  mkswap: [{what: 'overwrites a device', when: always, paths: operandsOf, outside: true, advice: fromBackup}],
  wipefs: [
    {
      what: 'removes file system signatures',
      when: any('-a', '--all', '-o', '--offset'),
      paths: operandsOf,
      outside: true,
      advice: 'wipefs --backup keeps what it removes',
    },
  ],
  blkdiscard: [
    {what: 'discards a device', when: always, paths: operandsOf, outside: true, advice: fromBackup},
  ],
  shred: [
    {
      what: 'overwrites files so that nothing can bring them back',
      when: always,
      paths: operandsOf,
      advice: fromBackup,
    },
  ],
  truncate: [
    {
      what: 'changes the size of files',
      when: any('-s', '--size', '-r', '--reference'),
      paths: (words) => operandsOf(words).filter(({text}) => !/^[-+<>/%]?\d+[A-Za-z]*$/.test(text)),
      advice: fromBackup,
    },
  ],
  fdisk: [partitions(not(any('-l', '--list', '-x')))],
  sfdisk: [partitions(not(any('-l', '-d', '--list', '--dump')))],
  cfdisk: [partitions(always)],
  gdisk: [partitions(not(any('-l')))],
  sgdisk: [partitions(not(any('-p', '--print')))],
  parted: [
    partitions((words) => words.some(({text}) => /^(mk|rm$|resize|rescue|set|name|disk_set)/.test(text))),
  ],
  diskutil: [
    partitions((words) => /^(erase|partition|zero|random|secureErase|reformat)/.test(words[0]?.text ?? '')),
  ],
  lvremove: [
    {
      what: 'deletes a logical volume',
      when: always,
      paths: operandsOf,
      outside: true,
      advice: 'vgcfgrestore may bring it back',
    },
  ],
  vgremove: [
    {
      what: 'deletes a volume group',
      when: always,
      paths: operandsOf,
      outside: true,
      advice: 'vgcfgrestore may bring it back',
    },
  ],
  zpool: [
    {
      what: 'destroys a storage pool',
      when: first('destroy', 'labelclear'),
      outside: true,
      paths: rest,
      advice: 'zpool import -D may bring it back',
    },
  ],
  zfs: [
    {
      what: 'destroys a data set',
      when: first('destroy', 'rollback'),
      outside: true,
      paths: rest,
      advice: fromBackup,
    },
  ],
  cryptsetup: [
    {
      what: 'makes encrypted data unreadable',
      when: matches(/^(luksFormat|luksErase|erase|reencrypt|luksKillSlot|luksRemoveKey)$/),
      outside: true,
      paths: rest,
      advice: 'cryptsetup luksHeaderBackup first',
    },
  ],
  chmod: [
    {
      what: 'changes permissions of whole folders',
      when: any('-R', '--recursive'),
      paths: rest,
      advice: 'getfacl -R keeps them before, setfacl --restore brings them back',
    },
  ],
  chown: [
    {
      what: 'changes the owner of whole folders',
      when: any('-R', '--recursive'),
      paths: rest,
      advice: 'getfacl -R keeps them before, setfacl --restore brings them back',
    },
  ],
  chgrp: [
    {
      what: 'changes the group of whole folders',
      when: any('-R', '--recursive'),
      paths: rest,
      advice: 'getfacl -R keeps them before, setfacl --restore brings them back',
    },
  ],
  kill: [
    {
      what: 'ends every process of the user',
      when: (words) => words.some(({text}, index) => text === '-1' && index > 0),
      scope: 'all processes',
      outside: true,
      advice: 'unsaved work is lost',
    },
  ],
  killall: [
    {
      what: 'ends processes by name',
      when: always,
      scope: 'processes',
      outside: true,
      advice: 'unsaved work is lost',
    },
  ],
  pkill: [
    {
      what: 'ends processes by pattern',
      when: always,
      scope: 'processes',
      outside: true,
      advice: 'pgrep -a with the same pattern lists them',
    },
  ],
  rsync: [
    {
      what: 'deletes files at the target',
      when: matches(/^--(del|delete(-.*)?|remove-source-files)$/),
      paths: (words) => operandsOf(words).slice(-1),
      advice: 'rsync -n lists what it would delete',
    },
  ],
  crontab: [
    {
      what: 'deletes all cron jobs',
      when: any('-r'),
      scope: 'crontab',
      outside: true,
      advice: 'crontab -l > file keeps them before',
    },
  ],
  npm: [publishes('publish', 'unpublish', 'deprecate', 'dist-tag')],
  pnpm: [publishes('publish')],
  yarn: [{...publishes(), when: (words) => first('publish')(words) || starts('npm', 'publish')(words)}],
  bun: [publishes('publish')],
  cargo: [publishes('publish', 'yank')],
  twine: [publishes('upload')],
  poetry: [publishes('publish')],
  uv: [publishes('publish')],
  flit: [publishes('publish')],
  gem: [publishes('push', 'yank')],
  mvn: [publishes('deploy')],
  docker: [
    {
      what: 'deletes unused containers, images or volumes',
      when: (words) =>
        ['system', 'volume', 'image', 'container', 'network', 'builder', 'buildx'].includes(
          words[0]?.text ?? '',
        ) && words[1]?.text === 'prune',
      scope: 'docker',
      outside: true,
      advice: 'images can be pulled again; volumes can not',
    },
    {
      what: 'deletes containers, images or volumes',
      when: (words) =>
        first('rm', 'rmi')(words) ||
        (['volume', 'image', 'container', 'network', 'context'].includes(words[0]?.text ?? '') &&
          ['rm', 'remove'].includes(words[1]?.text ?? '')),
      scope: 'docker',
      outside: true,
      advice: 'images can be pulled again; volumes can not',
    },
    {
      what: 'deletes containers and their volumes',
      when: (words) =>
        first('compose')(words) &&
        words.some(({text}) => text === 'down') &&
        hasOption(words, '-v', '--volumes'),
      scope: 'docker',
      outside: true,
      advice: fromBackup,
    },
    publishes('push'),
  ],
  podman: [
    {
      what: 'deletes unused containers, images or volumes',
      when: (words) => words[1]?.text === 'prune' || starts('system', 'reset')(words),
      scope: 'podman',
      outside: true,
      advice: 'images can be pulled again; volumes can not',
    },
  ],
  kubectl: [
    {
      what: 'deletes resources of a cluster',
      when: first('delete', 'drain'),
      scope: 'cluster',
      outside: true,
      advice: 'kubectl get -o yaml keeps them before',
    },
    {
      what: 'replaces resources of a cluster by force',
      when: both(first('replace', 'apply'), any('--force', '--prune')),
      scope: 'cluster',
      outside: true,
      advice: 'kubectl get -o yaml keeps them before',
    },
  ],
  helm: [
    {
      what: 'removes a release from a cluster',
      when: first('uninstall', 'delete', 'un', 'del'),
      scope: 'cluster',
      outside: true,
      advice: 'helm get all keeps it before; --keep-history',
    },
  ],
  terraform: [infrastructure()],
  tofu: [infrastructure()],
  pulumi: [
    {
      what: 'destroys infrastructure',
      when: first('destroy'),
      scope: 'infrastructure',
      outside: true,
      advice: 'pulumi preview --destroy lists it',
    },
  ],
  aws: [
    {
      what: 'deletes objects or resources in the cloud',
      when: (words) => words.some(({text}) => /^(rm|rb|delete-.*|terminate-.*|purge-.*)$/.test(text)),
      scope: 'cloud account',
      outside: true,
      advice: 'versioned buckets keep old versions; otherwise there is no undo',
    },
  ],
  gcloud: [
    {
      what: 'deletes resources in the cloud',
      when: matches(/^delete$/),
      scope: 'cloud account',
      outside: true,
      advice: fromBackup,
    },
  ],
  az: [
    {
      what: 'deletes resources in the cloud',
      when: matches(/^(delete|purge)$/),
      scope: 'cloud account',
      outside: true,
      advice: fromBackup,
    },
  ],
  gh: [
    {
      what: 'deletes something on GitHub',
      when: (words) => words[1]?.text === 'delete' || words[1]?.text === 'archive',
      scope: 'GitHub',
      outside: true,
      advice: 'a deleted repository can be restored for 90 days by its owner',
    },
  ],
  psql: [sql()],
  mysql: [sql()],
  mariadb: [sql()],
  sqlite3: [sql()],
  duckdb: [sql()],
  'clickhouse-client': [sql()],
  mongosh: [
    {
      what: 'drops data of a database',
      when: matches(/\b(dropDatabase|\.drop\(|deleteMany\(|remove\()/),
      scope: 'database',
      outside: true,
      advice: 'mongodump first',
    },
  ],
  mongo: [
    {
      what: 'drops data of a database',
      when: matches(/\b(dropDatabase|\.drop\(|deleteMany\(|remove\()/),
      scope: 'database',
      outside: true,
      advice: 'mongodump first',
    },
  ],
  'redis-cli': [
    {
      what: 'deletes all keys',
      when: matches(/^(flushall|flushdb)$/i),
      scope: 'database',
      outside: true,
      advice: 'redis-cli --rdb keeps a dump before',
    },
  ],
  dropdb: [
    {what: 'drops a database', when: always, scope: 'database', outside: true, advice: 'pg_dump first'},
  ],
  dropuser: [
    {
      what: 'drops a database role',
      when: always,
      scope: 'database',
      outside: true,
      advice: 'pg_dumpall --roles-only first',
    },
  ],
  userdel: [{what: 'deletes a user', when: always, scope: 'user account', outside: true, advice: fromBackup}],
  apt: [removesPackages('remove', 'purge', 'autoremove', 'autopurge')],
  'apt-get': [removesPackages('remove', 'purge', 'autoremove')],
  dnf: [removesPackages('remove', 'erase', 'autoremove')],
  yum: [removesPackages('remove', 'erase', 'autoremove')],
};

function undefinedPaths(): readonly Word[] {
  return [];
}

function findRoots(words: readonly Word[]): readonly Word[] {
  const from = words.findIndex(({text}) => !/^-([HLPD]|O\d?)$/.test(text));
  const roots = from === -1 ? [] : words.slice(from);
  const end = roots.findIndex(({text}) => /^[-(!]/.test(text));
  return end === -1 ? roots : roots.slice(0, end);
}

function outputOfDd(words: readonly Word[]): readonly Word[] {
  return words
    .filter(({text}) => text.startsWith('of='))
    .map((word) => ({...word, text: word.text.slice(3), raw: word.raw.replace(/^of=/, '')}));
}

function partitions(when: DestructiveRow['when']): DestructiveRow {
  return {
    what: 'changes a partition table',
    when,
    paths: (words) => operandsOf(words).filter(({text}) => text.startsWith('/')),
    outside: true,
    advice: 'sfdisk --dump keeps the table before',
  };
}

function publishes(...subcommands: string[]): DestructiveRow {
  return {
    what: 'publishes for everybody, or takes back what is published',
    when: (words) => first(...subcommands)(words) && !hasOption(words, '--dry-run', '-n'),
    scope: 'package registry',
    outside: true,
    advice: published,
  };
}

function infrastructure(): DestructiveRow {
  return {
    what: 'destroys infrastructure',
    when: (words) =>
      first('destroy')(words) ||
      (first('apply')(words) && hasOption(words, '-destroy', '--destroy')) ||
      starts('state', 'rm')(words) ||
      starts('workspace', 'delete')(words),
    scope: 'infrastructure',
    outside: true,
    advice: 'terraform plan -destroy lists it',
  };
}

function sql(): DestructiveRow {
  return {
    what: 'drops or empties tables',
    when: matches(
      /\b(drop\s+(database|schema|table|view|role|user|index|owned|materialized)|truncate\s|delete\s+from\s+[^\s;]+\s*(;|$)|alter\s+table\s+\S+\s+drop)/i,
    ),
    scope: 'database',
    outside: true,
    advice: 'dump it first; inside a transaction ROLLBACK undoes it',
  };
}

function removesPackages(...subcommands: string[]): DestructiveRow {
  return {
    what: 'removes packages',
    when: first(...subcommands),
    scope: 'system packages',
    outside: true,
    advice: "the package manager's history lists what to install again",
  };
}
