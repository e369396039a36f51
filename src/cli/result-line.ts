import {fstatSync, readFileSync, writeSync} from 'node:fs';
import {attempt} from '../system/attempt.ts';
import {write} from './output.ts';

/**
 * The result of `--json`: the last line of stderr, and one of its own whatever the command wrote last. stderr is the command's
 * too: of a file it may have moved the position, or taken O_APPEND away, and a plain write would go over what stands there.
 */
export function writeResultLine(json: string, afterCommand: boolean): void {
  const text = `${afterCommand ? '\n' : ''}${json}\n`;
  const end = attempt(endIfElsewhere);
  if (end === undefined) write(2, text);
  else attempt(() => writeSync(2, text, end));
}

const append = 0o2000;

/** Where the file that is stderr ends, if that is not where the next write goes (proc_pid_fdinfo(5): Linux alone tells). */
function endIfElsewhere(): number | undefined {
  const info = fstatSync(2);
  if (!info.isFile()) return undefined;
  const {position, flags} =
    /^pos:\s+(?<position>\d+)\nflags:\s+(?<flags>\d+)$/m.exec(readFileSync('/proc/self/fdinfo/2', 'latin1'))
      ?.groups ?? {};
  const goesToEnd = Number(position) === info.size || (Number.parseInt(flags ?? '0', 8) & append) !== 0;
  return goesToEnd ? undefined : info.size;
}
