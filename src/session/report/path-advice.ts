import {isInStepFolder} from '../step-files.ts';
import {isWithin} from '../../system/is-within.ts';
import {shellWord} from '../../shell/quote.ts';
import {isHidden, isHome, isNeverAdvised, isStarted} from './never-advised.ts';
import {bySetting, helpOf, inWords, type Advice} from './setting-advice.ts';

/** The advice for a write into GITHUB_ENV. A root there would open it to the next command too. */
export const ofLaterSteps =
  'no setting opens it, because the runner sets variables and PATH of later steps from such files: do it in a step outside ion';

/** The setting that would allow a read of `target`. */
export function readAdvice(target: string, home: string | undefined): Advice {
  if (!isNeverAdvised(target, 'read', home)) return bySetting('sandbox.read_roots', [target]);
  if (target === '/') return inWords('list the folders that you need by name: ls /usr /etc');
  const within = holdsHomes(target, home);
  return inWords(
    within === undefined
      ? 'it belongs to the system or holds secrets: do it outside ion'
      : `ion opens no home as a whole: name what you need in it, such as ${within}/FOLDER, and ion names its setting`,
  );
}

/** The home whose folders may be granted, if the target is a home or contains one. */
function holdsHomes(target: string, home: string | undefined): string | undefined {
  if (home !== undefined && isWithin(home, target)) return '~';
  return target === '/home' ? '/home/USER' : isHome(target, home) ? target : undefined;
}

const makesFolder = /^mkdir(?:at)?$/;
/** The folder that git makes for a push in the repository that receives it. Its name is random. */
const incoming = /^(.+)\/objects\/(?:tmp_objdir-)?incoming-[^/]+$/;
/** For these calls a right on an existing file is enough. */
const opensFile = /^(?:open(?:at)?|creat|truncate)$/;

/**
 * The setting that would allow a write to `target`: usually its folder. If a folder was to be created (`git worktree add ../x`):
 * that folder, not its parent. In a home: only the file.
 */
export function writeAdvice(target: string, home: string | undefined, syscall: string): Advice {
  if (isInStepFolder(target)) return inWords(ofLaterSteps);
  const folder = folderOf(target);
  const repository = makesFolder.test(syscall) ? incoming.exec(target)?.[1] : undefined;
  if (repository !== undefined) return grantOf(repository, home);
  if (makesFolder.test(syscall)) return grantOf(target, home, 'folder');
  return opensFile.test(syscall) && folder === home ? grantOf(target, home, 'file') : grantOf(folder, home);
}

/** The setting that would allow writes in this folder. */
export function wholeAdvice(folder: string, home: string | undefined): Advice {
  return grantOf(folder, home);
}

function grantOf(path: string, home: string | undefined, needs?: 'folder' | 'file'): Advice {
  if (isNeverAdvised(path, 'read', home) || isStarted(path, home) || holdsManyTools(path, home))
    return inWords('write below the workspace or the temp folder instead');
  const {setting, note} = bySetting('sandbox.write_roots', [path], needs === 'file' ? mustExist(path) : '');
  const advice = {setting: {...setting!, ...(needs ? {needs} : {})}, note};
  // Never offered as a question: the user has to write it into the config.
  return isHidden(path, home)
    ? inWords(`${helpOf(advice)}; programs outside ion use what lies there`)
    : advice;
}

/** Folders of a home in which each program has a folder of its own. */
function holdsManyTools(path: string, home: string | undefined): boolean {
  return (
    home !== undefined &&
    /^\/\.(?:config|cache|local(?:\/(?:share|state|lib))?)$/.test(path.slice(home.length)) &&
    isWithin(path, home)
  );
}

function mustExist(path: string): string {
  return `; it must exist first: touch ${shellWord(path)}`;
}

function folderOf(target: string): string {
  return target.slice(0, Math.max(target.lastIndexOf('/'), 1));
}
