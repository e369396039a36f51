import {statSync} from 'node:fs';
import {IonError, quoted} from '../../errors.ts';
import {folderIn} from '../../library/open.ts';
import type {Session} from '../../session/session.ts';

/** Where commands start. Only a call with `keep_cwd` changes it for later calls: what a command does with `cd` does not count. */
export interface WorkingFolder {
  choose(session: Session, cwd: string | undefined, keep: boolean): string;
}

export function openWorkingFolder(workspace: string): WorkingFolder {
  let kept: string | undefined;
  /** The kept folder is checked anew for each call: commands can remove it, or put a link in its place. */
  const keptFolder = (session: Session): string => {
    if (kept === undefined) return workspace;
    const wanted = kept;
    if (resolved(session, wanted) === wanted) return wanted;
    kept = undefined;
    // Not the workspace at once: the command was meant for another folder.
    throw new IonError(`the kept folder ${quoted(wanted)} is no longer there`, {
      help: 'the next call starts in the workspace',
    });
  };
  return {
    choose(session, cwd, keep) {
      const folder = cwd === undefined ? keptFolder(session) : resolved(session, cwd);
      if (typeof folder !== 'string') throw folder;
      if (keep) kept = folder;
      return folder;
    },
  };
}

/** The error has no advice that loosens: a program reads it. */
function resolved(session: Session, cwd: string): string | IonError {
  const help = 'choose a folder in the workspace';
  if (cwd.includes('\0')) return new IonError('cwd has a NUL character', {help});
  try {
    const folder = folderIn(session, cwd);
    return statSync(folder).isDirectory()
      ? folder
      : new IonError(`${quoted(folder)} is not a folder`, {help});
  } catch (cause) {
    if (!(cause instanceof IonError)) throw cause;
    return new IonError(cause.message, {help, cause});
  }
}
