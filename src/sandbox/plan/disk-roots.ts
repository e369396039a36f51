import {statfsSync} from 'node:fs';
import {attempt} from '../../system/attempt.ts';
import {isWithin} from '../../system/is-within.ts';
import {readMountTable, unescapedMount} from '../../system/mount-table.ts';

/** One folder for each file system below these folders: a limit of the disk applies to every file system. */
export function withMountsBelow(folders: readonly string[]): string[] {
  // A file system without access for this user is left out: the command has none either, and the launcher would fail.
  const mounts = mountsBelow(readMountTable(), folders).filter((folder) => attempt(() => statfsSync(folder)));
  return [...new Set([...folders, ...mounts])];
}

/** One mount point for a file system that is mounted several times. Pure; see proc_pid_mountinfo(5). */
export function mountsBelow(mountinfo: string, folders: readonly string[]): string[] {
  const places = new Map<string, string>();
  for (const line of mountinfo.split('\n')) {
    const [, , device, , escaped, options = ''] = line.split(' ');
    if (device === undefined || escaped === undefined || options.split(',').includes('ro')) continue;
    const place = unescapedMount(escaped);
    if (folders.some((folder) => place !== folder && isWithin(place, folder))) places.set(device, place);
  }
  return [...places.values()];
}
