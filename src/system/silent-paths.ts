import {isWithin} from './is-within.ts';
import {readMountTable, unescapedMount} from './mount-table.ts';

/**
 * Reports whether the file system of a path answers. Another process tries it, because nothing can end a process that
 * waits for a file system.
 */
export type Probe = (path: string) => boolean;

/** Reports whether a canonical path is in a file system that does not answer. ion then looks at no file of it. */
export type IsSilent = (path: string) => boolean;

/** File systems whose files come from another process or another machine. */
const remote =
  /^(?:fuse\b|fuse\.|fuseblk$|nfs|cifs$|smb|9p$|virtiofs$|ceph$|afs$|autofs$|ncp|gfs2?$|ocfs2$|lustre$|coda$|davfs)/;

/**
 * If the server of such a file system is gone, `stat` waits for ever, and not even SIGKILL ends it. So ion probes the
 * paths of these mounts first. It does not probe the mount that the command starts in: if that one is silent, nothing
 * works anyway, and each look costs a process.
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

/** The mount points of these file systems, except the one that contains `cwd`. Pure. */
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
