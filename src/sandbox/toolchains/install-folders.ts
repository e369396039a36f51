import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {installFolders} from 'ion:install-folders';
import {isWithin} from '../../system/is-within.ts';
import {systemRoots} from '../plan/system-roots.ts';
import {inHome} from './plan-toolchains.ts';

export interface Toolchain {
  readonly path: string;
  readonly reason: string;
}

/**
 * The folders that programs on PATH need: for each folder outside the system, the folder itself and its install prefix
 * (`~/.nvm/versions/node/v22/bin` → `~/.nvm/versions/node/v22`). `node` is the Node that runs ion.
 */
export function findToolchains(searchPath: string, home: string | undefined, node: string): Toolchain[] {
  const found = new Map<string, string>();
  const folders = [...searchPath.split(':'), path.dirname(node)];
  for (const folder of new Set(folders)) {
    if (!path.isAbsolute(folder) || isSystem(folder)) continue;
    for (const {path: grant, reason} of grantsOf(folder, home)) found.set(grant, reason);
  }
  return [...found].map(([grant, reason]) => ({path: grant, reason}));
}

function isSystem(folder: string): boolean {
  return systemRoots.some((root) => root.grant === 'read' && isWithin(folder, root.path));
}

function grantsOf(folder: string, home: string | undefined): Toolchain[] {
  let real: string;
  try {
    real = realpathSync.native(folder);
  } catch {
    return []; // on most machines PATH names folders that do not exist
  }
  if (isSystem(real)) return [];
  // Such a folder contains more than programs (such as credentials), so only parts of it are readable.
  const known =
    home === undefined ? undefined : installFolders.find(({on}) => isWithin(real, inHome(on, home)));
  if (known && home !== undefined)
    return known.read.map((part) => ({path: inHome(part, home), reason: known.reason}));
  // `PATH=$PATH:` followed by home or / by mistake must not open all of it.
  if (isTooBroad(real, home)) return [];
  return [{path: installPrefix(real, home) ?? real, reason: `programs on PATH (${folder})`}];
}

function isTooBroad(folder: string, home: string | undefined): boolean {
  return folder === '/' || (home !== undefined && isWithin(home, folder));
}

/** The parent of `bin`, if it looks like an install prefix and is neither home nor a parent of it. */
function installPrefix(bin: string, home: string | undefined): string | undefined {
  if (!['bin', 'sbin', 'shims'].includes(path.basename(bin))) return undefined;
  const prefix = path.dirname(bin);
  const looksLikeOne = ['lib', 'share', 'include', 'libexec'].some((name) =>
    isDirectory(path.join(prefix, name)),
  );
  return !isTooBroad(prefix, home) && looksLikeOne ? prefix : undefined;
}

function isDirectory(folder: string): boolean {
  return statSync(folder, {throwIfNoEntry: false})?.isDirectory() ?? false;
}
