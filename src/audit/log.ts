import type {AppendFunction} from '../sandbox/linux/native.ts';
import {IonError, quoted} from '../errors.ts';
import {isFull, meaningOf} from '../system/system-errors.ts';
import {canonicalJson} from './canonical.ts';
import {isLogged, type Event} from './events.ts';

/** A file that would grow beyond this is put aside first; the chain goes on in the next. */
export const maxLogFileBytes = 16 * 1024 * 1024;

export interface LogOptions {
  readonly folder: string;
  readonly append: AppendFunction;
  /** required: what was appended is on the disk before append returns, and a failure throws. */
  readonly mode: 'best-effort' | 'required';
  /** Called once, in best-effort mode, when the log can't be written. */
  readonly warn: (message: string) => void;
  readonly maxFileBytes?: number;
}

export interface AuditLog {
  /** All of these events, or none. In best-effort mode a failure is a warning; in required mode it throws. */
  append(events: readonly Event[]): void;
}

/**
 * The audit log of a session. Best effort does not fsync: what is appended survives ion's death, not a power cut.
 * Required syncs each append (one per run before it starts, one at its end).
 */
export function openLog({folder, append, mode, warn, maxFileBytes = maxLogFileBytes}: LogOptions): AuditLog {
  let warned = false;
  return {
    append(events) {
      const lines = events.filter(isLogged).map((event) => canonicalJson(event));
      if (lines.length === 0) return;
      try {
        append(folder, lines, maxFileBytes, mode === 'required');
      } catch (error) {
        const problem = logProblem(folder, error);
        if (mode === 'required') throw problem;
        if (!warned) warn(problem.message);
        warned = true;
      }
    },
  };
}

/** In the log's folder two errors have one cause each: its appending (native/addon/audit.cc) makes no others. */
const inTheLog = {
  ENOTDIR: 'a symlink or a file has its name',
  EPERM: 'one of its files belongs to another user, has a second hard link, or is not a regular file',
};

function logProblem(folder: string, error: unknown): IonError {
  const why = meaningOf(error, inTheLog);
  return new IonError(`cannot write the audit log in ${quoted(folder)}: ${why}`, {
    help: `${isFull(error) ? 'free some disk space' : 'make the folder writable'}, or set audit.mode = "best-effort" in ~/.ion/config.toml`,
    cause: error,
  });
}
