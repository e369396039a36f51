import {readFileSync} from 'node:fs';
import {attempt} from './attempt.ts';

/** The kernel's list of the mounts of this process; '' if there is no such list. */
export function readMountTable(): string {
  return attempt(() => readFileSync('/proc/self/mountinfo', 'latin1')) ?? '';
}

/** In proc_pid_mountinfo(5) blanks and similar characters are written as `\040`; bytes of other encodings are unchanged. */
export function unescapedMount(text: string): string {
  const bytes = text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
