import {existsSync} from 'node:fs';
import path from 'node:path';

/** Where package managers that do not read their cache in home inside the sandbox (profiles/toolchains) have it. */
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
