import {credentials} from '../../config/defaults.ts';
import {homeNames} from '../../sandbox/plan/protected.ts';
import {isOfSystem} from '../../system/system-folders.ts';
import {isWithin} from '../../system/is-within.ts';

/**
 * Reports whether no advice may propose to open this path: `/`, a system folder, a whole home, a secret, or a folder that
 * contains one of these. With `access` "write" this includes hidden files of a home, because programs outside obey them. Pure.
 */
export function isNeverAdvised(path: string, access: 'read' | 'write', home: string | undefined): boolean {
  if (isOfSystem(path) || isHome(path, home) || holdsSecret(path, home)) return true;
  return access === 'write' && isHidden(path, home);
}

/** Reports whether the path is a whole home, or contains one. */
export function isHome(path: string, home: string | undefined): boolean {
  return /^\/(?:home|Users)\/[^/]+$/.test(path) || (isReal(home) && isWithin(home, path));
}

/** Credentials of this user, of root, or of another user. */
function holdsSecret(path: string, home: string | undefined): boolean {
  const another = /^\/(?:(?:home|Users)\/[^/]+|root)(?=\/)/.exec(path)?.[0];
  return [home, another]
    .filter((one) => one !== undefined)
    .flatMap((one) => credentials.map((name) => `${one}/${name}`))
    .some((secret) => isWithin(path, secret) || isWithin(secret, path));
}

/** Matches caches that programs can rebuild: `.cache/pip`, `.npm/_cacache`. */
const cache = /^\.cache\/[^/]|^\.[^/]+\/(?:.+\/)?(?:_?cacache|_?caches?)(?:\/|$)/;

/**
 * Reports whether the path is a hidden file of a home. Caches do not count, and neither does `.local/state`, where
 * each program keeps data that nothing else obeys.
 */
export function isHidden(path: string, home: string | undefined): boolean {
  if (!isReal(home) || !isWithin(path, home)) return false;
  const inHome = path.slice(home.length + 1);
  if (!inHome.startsWith('.')) return false;
  return isStarted(path, home) || !(inHome.startsWith('.local/state/') || cache.test(inHome));
}

/**
 * Reports whether programs outside run or obey this file, by its name. It stays protected even if home is a write
 * root.
 */
export function isStarted(path: string, home: string | undefined): boolean {
  return isReal(home) && homeNames.some((name) => isWithin(path, `${home}/${name}`));
}

/** A service without a home of its own has `/`. */
function isReal(home: string | undefined): home is string {
  return home !== undefined && home !== '/';
}
