import {isWithin} from './is-within.ts';
import {readMountTable, unescapedMount} from './mount-table.ts';

/** Can this path be looked at? Another process tries it: one that waits for a file system cannot be ended. */
export type Probe = (path: string) => boolean;

/** Says of a canonical path that it lies in a file system that does not answer. No file of it is then looked at here. */
export type IsSilent = (path: string) => boolean;

/** Their files come from another process or another machine. */
const remote =
  /^(?:fuse\b|fuse\.|fuseblk$|nfs|cifs$|smb|9p$|virtiofs$|ceph$|afs$|autofs$|ncp|gfs2?$|ocfs2$|lustre$|coda$|davfs)/;

/**
 * Where such a server is gone, `stat` waits for ever, and not even SIGKILL ends it. So paths of such a mount are probed
 * first. Not those of the mount that the command starts in: there nothing works anyway, and each look would cost a process.
 */
export function silentPaths(cwd: string, probe: Probe, mountTable = readMountTable): IsSilent {
  const silent = new Set<string>();
  const answered = new Set<string>();
  let mounts: readonly string[] | undefined;
  return (path) => {
    mounts ??= remoteMounts(mountTable(), cwd);
    const mount = mounts.find((place) => isWithin(path, place));
    if (mount === undefined || answered.has(path)) return false;
    if (silent.has(mount)) return true;
    if (probe(path)) answered.add(path);
    else silent.add(mount);
    return silent.has(mount);
  };
}

/** Their mount points, except of the mount that `cwd` is on. Pure. */
export function remoteMounts(mountTable: string, cwd: string): string[] {
  let own = {place: '', isRemote: false};
  const mounts: string[] = [];
  for (const line of mountTable.split('\n')) {
    const type = / - (\S+)/.exec(line)?.[1];
    const escaped = line.split(' ')[4];
    if (type === undefined || escaped === undefined) continue;
    const place = unescapedMount(escaped);
    const isRemote = remote.test(type);
    if (isWithin(cwd, place) && place.length >= own.place.length) own = {place, isRemote};
    if (isRemote) mounts.push(place);
  }
  return mounts.filter((place) => !(own.isRemote && place === own.place));
}
