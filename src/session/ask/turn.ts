import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted, isIonError} from '../../errors.ts';
import {takeLockFile} from '../../system/lock-file.ts';
import {writeProblem} from '../../system/write-problem.ts';
import {processStat} from '../../system/process-stat.ts';

/** Several questions may be open before this one, each for two minutes. */
const maxWaitMs = 600_000;

/**
 * Waits until no other ion asks on this terminal. Returns what ends the turn. With two questions on one screen (`make
 * -j`, `ion run … & ion run …`) a key would answer whichever process the kernel wakes, not the question shown last.
 * The lock is below `~/.ion`, where nothing sandboxed can write or hold it. Without the lock ion does not ask.
 */
export async function takeTurn(home: string | undefined): Promise<() => void> {
  if (!home) throw cannotAsk(new IonError('HOME is not set'));
  const name = `tty-${processStat()?.terminal ?? 'any'}`;
  try {
    const folder = path.join(home, '.ion', 'locks');
    mkdirSync(folder, {recursive: true, mode: 0o700});
    for (const one of [path.dirname(folder), folder])
      if (lstatSync(one).isSymbolicLink()) throw new IonError(`${quoted(one)} is a symlink`);
    return await takeLockFile(path.join(folder, name), maxWaitMs);
  } catch (error) {
    throw cannotAsk(writeProblem(`~/.ion/locks/${name}`, error));
  }
}

function cannotAsk(cause: unknown): unknown {
  if (!isIonError(cause)) return cause;
  return new IonError(`cannot ask on this terminal: ${cause.message}`, {
    help: 'ion needs a lock in "~/.ion/locks", so that only one question is on a terminal',
    cause,
  });
}
