import {closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, statfsSync} from 'node:fs';
import {locationOf} from '../../config/read/origin.ts';
import {IonError, quoted, isIonError} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {meaningOf} from '../../system/system-errors.ts';
import {isOfSystem} from '../../system/system-folders.ts';
import type {Root} from './roots.ts';

/** Linux's O_PATH, which Node does not name: opens a folder that may only be passed through. */
const oPath = 0o10000000;
const openFlags = oPath | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const maxLinks = 40;

/** proc, sysfs, cgroup (1 and 2), debugfs, tracefs, securityfs, bpf, devpts, configfs, mqueue, autofs. */
const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11, 0x1cd1,
  0x62656570, 0x19800202, 0x0187,
]);

/**
 * Makes the folder of a root that is listed with `create = true`, with its parents. The user's config lists it, but a run may
 * have put a link on its way. So each folder is opened from the one before. Only links in system folders and directly in home are
 * followed. Throws an IonError (125).
 */
export function makeRoot({path, origin, ...root}: Root, home: string | undefined): Root {
  if (process.platform !== 'linux') {
    // Without /proc a descriptor has no name, so the links of the path are followed.
    mkdirSync(path, {recursive: true});
    return {...root, path, ...(origin ? {origin} : {})};
  }
  const pending = path.split('/').filter(Boolean).reverse();
  let at = openSync('/', openFlags);
  try {
    for (let links = 0; pending.length > 0;) {
      const name = pending.pop()!;
      const target = name === '..' ? undefined : linkOrMake(at, name, {home, path});
      if (target !== undefined) {
        if (++links > maxLinks) throw new IonError(`cannot make ${quoted(path)}: a loop of symlinks`);
        pending.push(
          ...target
            .split('/')
            .filter((part) => part !== '' && part !== '.')
            .reverse(),
        );
        if (!target.startsWith('/')) continue;
      }
      const next = openSync(target === undefined ? within(at, name) : '/', openFlags);
      closeSync(at);
      at = next;
    }
    return {...root, path: nameOf(at), canonical: true, ...(origin ? {origin} : {})};
  } catch (cause) {
    const why = isIonError(cause) ? cause : undefined;
    throw new IonError(why?.message ?? `cannot make ${quoted(path)}: ${meaningOf(cause)}`, {
      at: origin && locationOf(origin),
      help: why?.help ?? 'make the folder yourself, or list another one',
      cause,
    });
  } finally {
    closeSync(at);
  }
}

/** The target of a link. Undefined for a folder, which is made if it does not exist. */
function linkOrMake(
  at: number,
  name: string,
  {home, path}: {readonly home: string | undefined; readonly path: string},
): string | undefined {
  const child = within(at, name);
  const info = lstatSync(child, {throwIfNoEntry: false});
  if (info === undefined) {
    const folder = nameOf(at);
    if (isOfKernel(at, folder)) throw new IonError(`cannot make ${quoted(path)}: ${folder} holds no files`);
    try {
      mkdirSync(child);
    } catch (error) {
      // Another run has made the folder. It is opened without following a link, because it may be something else.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return undefined;
  }
  if (!info.isSymbolicLink()) return undefined;
  const folder = nameOf(at);
  if (folder === home || isOfSystem(folder)) return readlinkSync(child);
  throw new IonError(
    `cannot make ${quoted(path)}: ${quoted(`${folder}/${name}`)} is a symlink, which a run may have made`,
    {help: 'list the path that it leads to'},
  );
}

function isOfKernel(at: number, folder: string): boolean {
  const inDev = isWithin(folder, '/dev') && !isWithin(folder, '/dev/shm');
  return (
    inDev ||
    ['/proc', '/sys'].some((one) => isWithin(folder, one)) ||
    kernelFileSystems.has(statfsSync(within(at)).type)
  );
}

function within(at: number, name = '.'): string {
  return `/proc/self/fd/${at}/${name}`;
}

function nameOf(at: number): string {
  return readlinkSync(`/proc/self/fd/${at}`);
}
