import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from './paths.ts';
import {systemRoots} from './system-roots.ts';

export interface Toolchain {
  readonly path: string;
  readonly reason: string;
}

/**
 * Install folders in home that hold more than programs (credentials, mail of a package manager): only these parts of
 * them are readable. Paths are relative to home; the first is what PATH names.
 */
const parts: readonly {readonly on: string; readonly grants: readonly string[]}[] = [
  {
    on: '.cargo/bin',
    grants: ['.cargo/bin', '.cargo/env', '.cargo/config.toml', '.cargo/registry', '.cargo/git', '.rustup'],
  },
  {
    on: '.local/bin',
    grants: ['.local/bin', '.local/lib', '.local/share/pipx', '.local/share/uv', '.local/pipx'],
  },
  {on: 'go/bin', grants: ['go/bin', 'go/pkg']},
  {on: '.deno/bin', grants: ['.deno/bin']},
  {on: '.bun/bin', grants: ['.bun/bin', '.bun/install/global']},
  {on: '.volta/bin', grants: ['.volta']},
  {on: '.asdf/shims', grants: ['.asdf', '.tool-versions']},
  {on: '.pyenv/shims', grants: ['.pyenv']},
  {on: '.pyenv/bin', grants: ['.pyenv']},
  {on: '.rbenv/shims', grants: ['.rbenv']},
  {on: '.sdkman/candidates', grants: ['.sdkman/candidates']},
  {on: 'bin', grants: ['bin']},
];

/**
 * What the programs on PATH need to run: for each folder outside the system's, the folder itself and the install
 * prefix around it (`~/.nvm/versions/node/v22/bin` → `~/.nvm/versions/node/v22`). `node` is the Node that runs ion.
 */
export function findToolchains(searchPath: string, home: string | undefined, node: string): Toolchain[] {
  const found = new Map<string, string>();
  const folders = [...searchPath.split(':'), path.dirname(node)];
  for (const folder of new Set(folders)) {
    if (!path.isAbsolute(folder) || isSystem(folder)) continue;
    for (const grant of grantsOf(folder, home)) found.set(grant, `programs on PATH (${folder})`);
  }
  return [...found].map(([grant, reason]) => ({path: grant, reason}));
}

function isSystem(folder: string): boolean {
  return systemRoots.some((root) => root.grant === 'read' && isWithin(folder, root.path));
}

function grantsOf(folder: string, home: string | undefined): string[] {
  let real: string;
  try {
    real = realpathSync.native(folder);
  } catch {
    return []; // PATH names folders that do not exist, on most machines
  }
  if (isSystem(real)) return [];
  const known = home ? parts.find((part) => isWithin(real, path.join(home, part.on))) : undefined;
  if (known && home) return known.grants.map((grant) => path.join(home, grant));
  // `PATH=$PATH:` followed by home or / by mistake must not open all of it.
  if (isTooBroad(real, home)) return [];
  const prefix = installPrefix(real, home);
  return prefix ? [prefix] : [real];
}

function isTooBroad(folder: string, home: string | undefined): boolean {
  return folder === '/' || (home !== undefined && isWithin(home, folder));
}

/** The folder above `bin`, if it looks like an install prefix and is neither home nor above it. */
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
