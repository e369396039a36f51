import {settingForms} from '../config/set-option.ts';
import type {AppendFunction} from '../sandbox/linux/native.ts';
import {IonError, quoted} from '../errors.ts';
import {isFull, meaningOf} from '../system/system-errors.ts';
import {canonicalJson} from './canonical.ts';
import {isLogged, type Event} from './events.ts';

/** A file that would grow beyond this is rotated first. The chain continues in the next file. */
export const maxLogFileBytes = 16 * 1024 * 1024;

export interface LogOptions {
  readonly folder: string;
  readonly append: AppendFunction;
  /** required: append returns only when the events are on the disk, and throws on failure. */
  readonly mode: 'best-effort' | 'required';
  /** Called once, in best-effort mode, when the log cannot be written. */
  readonly warn: (message: string) => void;
  readonly maxFileBytes?: number;
}

export interface AuditLog {
  /** Appends all of these events or none. A failure warns in best-effort mode and throws in required mode. */
  append(events: readonly Event[]): void;
}

/**
 * The audit log of a session. Best effort does not fsync: events survive a crash of ion, but not a power failure.
 * Required syncs each append: one before the run starts, one at its end.
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

/** In the log's folder each of these two errors has one cause, because native/addon/audit.cc returns no others. */
const inTheLog = {
  ENOTDIR: 'a symlink or a file has its name',
  EPERM: 'one of its files belongs to another user, has a second hard link, or is not a regular file',
};

function logProblem(folder: string, error: unknown): IonError {
  const why = meaningOf(error, inTheLog);
  return new IonError(`cannot write the audit log in ${quoted(folder)}: ${why}`, {
    help: `${isFull(error) ? 'free some disk space' : 'make the folder writable'}, or go on without the log; ${settingForms('audit.mode', 'best-effort')}`,
    cause: error,
  });
}
