import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from './paths.ts';
import {systemFolders} from './plan.ts';

export interface TempFolder {
  /** Canonical. */
  readonly path: string;
  /** A TMPDIR that is no temp folder: it is neither granted nor passed on. */
  readonly refused?: {readonly named: string; readonly why: string};
}

export interface TempPlace {
  readonly cwd: string;
  readonly home: string | undefined;
}

const usual: TempFolder = {path: '/tmp'};

/** In these a folder of one's own is a temp folder, though a system folder is around it. */
const around = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/folders'];

/**
 * TMPDIR where it is a temp folder, else /tmp. As a write root a system folder, home or a folder with other projects would
 * open all that lies in it; whoever means it can say so in sandbox.write_roots.
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
  const why = noTempFolder(real, place, {
    shared: (mode & 0o1002) === 0o1002,
    own: uid === process.getuid?.(),
  });
  return why === undefined ? {path: real} : {...usual, refused: {named, why}};
}

/** Why a folder is no temp folder. Pure. */
export function noTempFolder(
  folder: string,
  {cwd, home}: TempPlace,
  {shared, own}: {readonly shared: boolean; readonly own: boolean},
): string | undefined {
  if (folder === '/') return 'it is the root of the file system';
  if (home !== undefined && isWithin(home, folder)) return 'it is your home folder, or above it';
  if (shared) return undefined;
  if (!own) return 'it belongs to somebody else';
  if (cwd !== folder && isWithin(cwd, folder)) return 'it contains the current folder';
  const inHome = home !== undefined && home !== '/' && isWithin(folder, home);
  if (inHome) {
    const [first = ''] = path.relative(home, folder).split('/');
    return first.startsWith('.') && first !== '.cache' ? 'programs keep their settings there' : undefined;
  }
  if (around.some((parent) => isWithin(folder, parent))) return undefined;
  return systemFolders.some((system) => isWithin(folder, system)) ? 'it is a system folder' : undefined;
}
