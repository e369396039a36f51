import {closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync, type Stats} from 'node:fs';
import path from 'node:path';
import {ToolError} from './tool-error.ts';

/**
 * Opens the file that was decided on. `resolved` is its real path at the time of the decision. The folder is opened and compared
 * with that path before the name in it is opened without following a link: a link that was swapped in meanwhile leads nowhere.
 * The sandbox is the boundary. This check makes sure that the decision and the access are about the same file.
 */
export function openJudged(resolved: string, flags: number): number {
  const folder = path.dirname(resolved);
  const base = path.basename(resolved);
  const at = openFolder(folder, pathOnly);
  try {
    // O_NONBLOCK: a pipe without a writer must not stop the worker.
    const wanted = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(base === '' ? resolved : `${descriptorPath(at, folder)}/${base}`, wanted, 0o666);
  } finally {
    closeSync(at);
  }
}

/** O_PATH: the folder above the workspace need not be readable. */
const pathOnly = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY;

/** Opens a folder by its real path. Refuses if the path leads elsewhere now. */
export function openFolder(resolved: string, how = constants.O_RDONLY): number {
  const descriptor = openSync(resolved, how | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const actual = pathOf(descriptor);
  if (actual === undefined || actual === resolved) return descriptor;
  closeSync(descriptor);
  throw new ToolError('CHANGED', 'the path leads elsewhere than when it was decided on');
}

/** A path that names the open folder, whatever happens to its name. */
export function descriptorPath(descriptor: number, resolved: string): string {
  return pathOf(descriptor) === undefined ? resolved : `/proc/self/fd/${descriptor}`;
}

function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined; // no /proc
  }
}

/** Refuses devices, pipes and sockets: reading one may never end. */
export function regularFile(descriptor: number): Stats {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new ToolError('EISDIR', 'it is a folder');
  if (!stats.isFile()) throw new ToolError('NOT_A_FILE', 'it is not a regular file');
  return stats;
}

/** Creates the missing folders above a file. None of them exists, so none can be a link. */
export function makeFolders(folder: string): void {
  mkdirSync(folder, {recursive: true});
}
