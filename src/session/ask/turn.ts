import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted, isIonError} from '../../errors.ts';
import {takeLockFile} from '../../system/lock-file.ts';
import {writeProblem} from '../../system/write-problem.ts';
import {processStat} from '../../system/process-stat.ts';

/** Several questions may stand before this one, each for two minutes. */
const maxWaitMs = 600_000;

/**
 * Wait until no other ion asks on this terminal; returns what ends the turn. Of two questions on one screen (`make -j`,
 * `ion run … & ion run …`) a key would answer the one whose process the kernel happens to wake, and not the last shown.
 * The lock lies below `~/.ion`, where nothing that is sandboxed can write, or hold it; without it nobody is asked.
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
