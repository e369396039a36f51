import {fstatSync, readFileSync, writeSync} from 'node:fs';
import {attempt} from '../system/attempt.ts';
import {write} from './output.ts';

/**
 * Writes the result of `--json` as the last line of stderr. It gets a line of its own, whatever the command wrote
 * last. The command shares stderr: if it is a file, the command may have moved its position or cleared O_APPEND. Then
 * a plain write would overwrite existing text.
 */
export function writeResultLine(json: string, afterCommand: boolean): void {
  const text = `${afterCommand ? '\n' : ''}${json}\n`;
  const end = attempt(endIfElsewhere);
  if (end === undefined) write(2, text);
  else attempt(() => writeSync(2, text, end));
}

const append = 0o2000;

/** The end of the file that is stderr, if the next write would not go there. Linux only (proc_pid_fdinfo(5)). */
function endIfElsewhere(): number | undefined {
  const info = fstatSync(2);
  if (!info.isFile()) return undefined;
  const {position, flags} =
    /^pos:\s+(?<position>\d+)\nflags:\s+(?<flags>\d+)$/m.exec(readFileSync('/proc/self/fdinfo/2', 'latin1'))
      ?.groups ?? {};
  const goesToEnd = Number(position) === info.size || (Number.parseInt(flags ?? '0', 8) & append) !== 0;
  return goesToEnd ? undefined : info.size;
}
