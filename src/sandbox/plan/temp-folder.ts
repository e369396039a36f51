import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from '../../system/is-within.ts';

export interface TempFolder {
  /** Canonical. */
  readonly path: string;
  /** A TMPDIR that is not a temp folder: it is neither granted nor passed on. */
  readonly refused?: {readonly named: string; readonly why: string};
}

export interface TempPlace {
  /** Canonical, like all paths here. */
  readonly cwd: string;
  readonly homes: readonly string[];
  /** The write roots of the settings. */
  readonly writeRoots: readonly string[];
}

const usual: TempFolder = {path: '/tmp'};

/** Below these a TMPDIR is a temp folder. Every program that a project starts can set the variable. */
const temps = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/tmp', '/private/var/folders'];

/**
 * TMPDIR if it is a temp folder or the settings make it writable; else /tmp. Any other folder would be a write root with
 * everything in it. The user can list such a folder in sandbox.write_roots.
 */
export function tempFolder(named: string | undefined, place: TempPlace): TempFolder {
  if (!named || !path.isAbsolute(named) || named === usual.path) return usual;
  let real: string;
  try {
    real = realpathSync.native(named);
  } catch {
    return usual; // as outside: programs that use it fail
  }
  const {mode, uid} = statSync(real);
  const own = process.getuid?.();
  const why = noTempFolder(real, place, {
    shared: (mode & 0o1002) === 0o1002,
    own: uid === own,
    runtime: `/run/user/${own}`,
  });
  return why === undefined ? {path: real} : {...usual, refused: {named, why}};
}

interface FolderFacts {
  /** Every user writes there, and removes only its own files. */
  readonly shared: boolean;
  readonly own: boolean;
  /** This user's runtime folder. */
  readonly runtime: string;
}

/** Why a folder is not a temp folder. Pure. */
export function noTempFolder(
  folder: string,
  {cwd, homes, writeRoots}: TempPlace,
  {shared, own, runtime}: FolderFacts,
): string | undefined {
  if (folder === '/') return 'it is the root of the file system';
  if (homes.some((home) => isWithin(home, folder))) return 'it is your home folder or a parent of it';
  if (writeRoots.some((root) => isWithin(folder, root))) return undefined;
  // A home folder below /tmp, as in containers, is not a temp folder either: programs keep their settings there.
  if (homes.some((home) => home !== '/' && isWithin(folder, home))) return 'it is in your home folder';
  const isTemp = temps.some((parent) => isWithin(folder, parent)) || isRuntimeTemp(folder, runtime);
  if (!isTemp) return 'it is not below /tmp, /var/tmp, /dev/shm or the temp folders of the runtime folder';
  if (shared) return undefined;
  if (!own) return 'it belongs to another user';
  return cwd !== folder && isWithin(cwd, folder) ? 'it contains the current folder' : undefined;
}

/**
 * Programs keep sockets in the runtime folder, and systemd reads units there: only a folder with a temporary name is a
 * temp folder.
 */
function isRuntimeTemp(folder: string, runtime: string): boolean {
  if (!isWithin(folder, runtime)) return false;
  const [first = ''] = folder.slice(runtime.length + 1).split('/');
  return /te?mp|^nix-shell/i.test(first);
}
