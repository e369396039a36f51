import type {Word} from '../analysis.ts';
import {
  always,
  first,
  any,
  both,
  not,
  matches,
  rest,
  noUndo,
  fromBackup,
  type DestructiveRow,
} from './destructive-row.ts';
import {isBuildFolder} from './build-folders.ts';
import {operandsOf} from '../subcommands.ts';

/** Files, disks, permissions, processes and system packages. */
export const fileRows: Readonly<Record<string, readonly DestructiveRow[]>> = {
  rm: [
    {
      what: 'deletes folders and everything in them',
      when: any('-r', '-R', '--recursive'),
      paths: operandsOf,
      isOrdinary: (scope, {workspace}) =>
        scope.length > 0 && scope.every((path) => isBuildFolder(path, workspace)),
      advice: noUndo,
    },
    {
      what: 'deletes files without asking',
      when: both(any('-f', '--force'), not(any('-r', '-R', '--recursive'))),
      paths: operandsOf,
      isOrdinary: () => true,
      advice: noUndo,
    },
  ],
  unlink: [{what: 'deletes a file', when: always, paths: operandsOf, advice: noUndo}],
  find: [
    {
      what: 'deletes what find finds',
      when: (words) => words.some(({text}) => text === '-delete'),
      paths: findRoots,
      advice: 'run it with -print instead of -delete first',
    },
  ],
  dd: [{what: 'overwrites its output', when: matches(/^of=/), paths: outputOfDd, advice: fromBackup}],
  mkfs: [
    {
      what: 'makes a new file system',
      when: always,
      paths: (words) => operandsOf(words).slice(-1),
      outside: true,
      advice: fromBackup,
    },
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
  userdel: [{what: 'deletes a user', when: always, scope: 'user account', outside: true, advice: fromBackup}],
  apt: [removesPackages('remove', 'purge', 'autoremove', 'autopurge')],
  'apt-get': [removesPackages('remove', 'purge', 'autoremove')],
  dnf: [removesPackages('remove', 'erase', 'autoremove')],
  yum: [removesPackages('remove', 'erase', 'autoremove')],
};

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

function removesPackages(...subcommands: string[]): DestructiveRow {
  return {
    what: 'removes packages',
    when: first(...subcommands),
    scope: 'system packages',
    outside: true,
    advice: "the package manager's history lists what to install again",
  };
}
