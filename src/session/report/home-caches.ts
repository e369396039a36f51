import {existsSync} from 'node:fs';
import path from 'node:path';

/**
 * The cache folders that package managers have in home. Inside the sandbox these programs use another cache
 * (profiles/toolchains).
 */
const caches: Readonly<Record<string, readonly string[]>> = {
  npm: ['.npm/_cacache'],
  pnpm: ['.local/share/pnpm/store', '.cache/pnpm'],
  yarn: ['.cache/yarn', '.yarn/berry/cache'],
  bun: ['.bun/install/cache'],
  pip: ['.cache/pip'],
  uv: ['.cache/uv'],
  poetry: ['.cache/pypoetry'],
  bundle: ['.bundle/cache'],
  composer: ['.cache/composer', '.composer/cache'],
};

/** Reports whether a program, by its path or name (`/usr/bin/pip3.11`), has a cache in this home. */
export function hasHomeCache(program: string, home: string): boolean {
  const name = path.basename(program).replace(/[\d.]+$/, '');
  return (caches[name] ?? []).some((folder) => existsSync(path.join(home, folder)));
}
