import {readFileSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {findRepositoryTop} from './start-folder.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** Where the machine keeps what no variable may choose. Only a test gives other places. */
export interface Places {
  readonly machineConfig: string;
  /** Of the passwd entry. */
  readonly passwdHome: string | undefined;
}

export interface Homes {
  /** Whose `~/.ion` counts. */
  readonly own: string | undefined;
  /** All that may be meant by home: HOME, and that of the passwd entry. */
  readonly all: readonly string[];
  /** Why HOME does not count. */
  readonly refused?: string;
}

interface HomeInput extends Places {
  /** HOME. */
  readonly named: string | undefined;
  /** Canonical. */
  readonly cwd: string;
}

/**
 * ion's own files are those of the passwd entry's home. HOME counts instead for the commands that a person types: anything that a
 * project starts can set it, so never where a project or a run may have made the folder.
 */
export function findHomes(input: HomeInput): Homes {
  const {named, passwdHome} = input;
  const passwd = passwdHome === undefined || passwdHome === '' ? undefined : path.resolve(passwdHome);
  if (named === undefined || named === '') return {own: passwd, all: passwd === undefined ? [] : [passwd]};
  if (!path.isAbsolute(named)) throw new IonError(`HOME is not an absolute path: ${quoted(named)}`);
  const home = path.resolve(named);
  if (home === passwd || (passwd !== undefined && realpathOrSame(home) === realpathOrSame(passwd)))
    return {own: home, all: [home]};
  const refused = whyRefused(realpathOrSame(home), input);
  const all = passwd === undefined ? [home] : [home, passwd];
  return refused === undefined ? {own: home, all} : {own: passwd, all, refused};
}

function whyRefused(home: string, {cwd, passwdHome, machineConfig}: HomeInput): string | undefined {
  const top = findRepositoryTop(cwd) ?? cwd;
  // The whole file system is not a project.
  if (top !== '/' && isWithin(home, top)) return 'it is in the workspace';
  if (['/tmp', '/dev/shm', '/private/tmp'].some((temp) => isWithin(home, temp)))
    return 'it is in a temp folder';
  if (findRepositoryTop(home) !== undefined) return 'it is in a repository';
  if (isLocked(machineConfig, true)) return `${machineConfig} has a lock`;
  const own = passwdHome === undefined ? undefined : path.join(passwdHome, '.ion/config.toml');
  return own !== undefined && isLocked(own, false) ? `${own} has a lock` : undefined;
}

/** On the text, before any layer is parsed: what looks like a lock is one. */
function isLocked(file: string, otherwise: boolean): boolean {
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text === undefined) return false;
  const said = /^[^#\n]*\blocked\b["']?\s*=\s*(\w+)/m.exec(text)?.[1];
  return said === undefined ? otherwise : said !== 'false';
}
