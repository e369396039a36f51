import {exitCodes, IonError, quoted} from '../errors.ts';
import {settingForms} from '../config/set-option.ts';
import type {Settings} from '../config/settings.ts';
import {deniedPaths, findDenied} from '../policy/paths/denied-paths.ts';
import {withheldBy} from '../sandbox/plan/expand-roots.ts';
import {readableRoots, type Root} from '../sandbox/plan/roots.ts';
import {isWithin} from '../system/is-within.ts';
import {openLinks} from '../system/links.ts';
import {realpathOrSame} from '../system/real-path.ts';
import {loadPathMatcher} from './path-matcher.ts';

/** The script that ion-sh was called with, as fstat shows it for the descriptor that ion read. */
export interface ScriptFile {
  /** Canonical. */
  readonly path: string;
  readonly uid: number;
  readonly mode: number;
  /** Names of the file. */
  readonly links: number;
}

/**
 * A CI runner keeps the script of a step outside the workspace: the run may read this one file. A project can choose the
 * arguments of ion-sh (`.SHELLFLAGS` of make), so a file that may be private is refused: bash would print its lines.
 * Throws an IonError (126).
 */
export async function scriptRoot(
  script: ScriptFile | undefined,
  {
    settings,
    roots,
    uid,
  }: {readonly settings: Settings; readonly roots: readonly Root[]; readonly uid: number},
): Promise<Root[]> {
  if (script === undefined) return [];
  const {path} = script;
  const denied = findDenied(
    path,
    deniedPaths(settings.deniedPaths, openLinks()),
    await loadPathMatcher(settings),
  );
  if (denied) throw refused(path, `is in denied_paths ${quoted(denied.entry.value)}`);
  if (withheldBy(roots).some((closed) => isWithin(path, closed))) {
    throw refused(path, 'is one of the files of /etc that no command reads');
  }
  if (readableRoots(roots).some((root) => isWithin(path, realpathOrSame(root)))) return [];
  const why = whyPrivate(script, uid);
  if (why !== undefined) {
    throw refused(
      path,
      `is outside the readable folders, and ${why}`,
      settingForms('sandbox.read_roots', [path]),
    );
  }
  return [{path, grant: 'read', reason: 'script', optional: true, canonical: true}];
}

/** Why the file may be private to the user. Undefined: it looks like a script of a runner. Pure. */
export function whyPrivate({path, uid, mode, links}: ScriptFile, caller: number): string | undefined {
  if (path.split('/').some((name) => name.startsWith('.'))) return 'a name in its path begins with a dot';
  if (uid !== caller && uid !== 0) return 'it belongs to another user';
  if (links !== 1) return 'it has more than one name (hard links)';
  if ((mode & 0o004) === 0 && (mode & 0o111) === 0)
    return 'other users cannot read it, and it is not executable';
  return undefined;
}

function refused(path: string, why: string, help?: string): IonError {
  return new IonError(`ion-sh does not run the script ${quoted(path)}: it ${why}`, {
    exitCode: exitCodes.denied,
    help: help ?? 'call ion-sh with a script that commands may read',
  });
}
