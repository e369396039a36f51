import {readFileSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {findRepositoryTop} from './start-folder.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** Paths of the machine that no variable may choose. Only tests pass others. */
export interface MachinePaths {
  readonly machineConfig: string;
  /** The home in the passwd entry. */
  readonly passwdHome: string | undefined;
}

export interface Homes {
  /** The home whose `~/.ion` is used. */
  readonly own: string | undefined;
  /** Every folder that may be meant by home: HOME, and the home in the passwd entry. */
  readonly all: readonly string[];
  /** Why HOME is not used. */
  readonly refused?: string;
}

interface HomeInput extends MachinePaths {
  /** The value of HOME. */
  readonly named: string | undefined;
  /** Canonical. */
  readonly cwd: string;
}

/**
 * ion's own files are in the home of the passwd entry. For commands that a person types, HOME is used instead. Every program that
 * a project starts can set HOME. So HOME is refused if a project or a run may have made that folder.
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

/** The homes for ion-sh, which other programs start. ion's own files are never in HOME, but the files there are protected too. */
export function frontHomes({passwdHome}: MachinePaths, named: string | undefined): Homes {
  const own = passwdHome === undefined || passwdHome === '' ? undefined : path.resolve(passwdHome);
  const other = named !== undefined && path.isAbsolute(named) ? path.resolve(named) : undefined;
  const isOther = other !== undefined && realpathOrSame(other) !== realpathOrSame(own ?? '/nonexistent');
  const folders = isOther ? [own, other] : [own];
  return {own, all: folders.filter((folder) => folder !== undefined)};
}

function whyRefused(home: string, {cwd, passwdHome, machineConfig}: HomeInput): string | undefined {
  const top = findRepositoryTop(cwd) ?? cwd;
  // A repository at `/` does not count: the whole file system is not a project.
  if (top !== '/' && isWithin(home, top)) return 'it is in the workspace';
  if (['/tmp', '/dev/shm', '/private/tmp'].some((temp) => isWithin(home, temp)))
    return 'it is in a temp folder';
  if (findRepositoryTop(home) !== undefined) return 'it is in a repository';
  if (isLocked(machineConfig, true)) return `${machineConfig} has a lock`;
  const own = passwdHome === undefined ? undefined : path.join(passwdHome, '.ion/config.toml');
  return own !== undefined && isLocked(own, false) ? `${own} has a lock` : undefined;
}

/** Looks at the text, before any layer is parsed. Anything that looks like a lock counts as one. */
function isLocked(file: string, otherwise: boolean): boolean {
  const text = attempt(() => readFileSync(file, 'utf8'));
  if (text === undefined) return false;
  const said = /^[^#\n]*\blocked\b["']?\s*=\s*(\w+)/m.exec(text)?.[1];
  return said === undefined ? otherwise : said !== 'false';
}
