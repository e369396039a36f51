import {readFileSync, readdirSync} from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: readonly string[];
}

/** Every process that is not a zombie. */
export function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
        return state === 'Z' ? [] : [{pid: Number(pid), parent: Number(parent), command}];
      } catch {
        return []; // the process has ended
      }
    });
}

export function childrenOf(pid: number): Process[] {
  return processes().filter(({parent}) => parent === pid);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until `condition` returns something; the test fails if it never does. */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await sleep(20);
  }
}

/**
 * Waits until no process has the text in its command line or environment. Then no process is left that could write into a
 * folder of that name.
 */
export function untilNobodyNames(text: string): Promise<true> {
  return until(`the end of every process that names ${text}`, () =>
    readdirSync('/proc').every(
      (pid) => !/^\d+$/.test(pid) || Number(pid) === process.pid || !names(pid, text),
    ),
  );
}

/** When ion and the launcher are killed at the same time, no process ends what is left of the run. The test must do it. */
export function endThoseThatName(text: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) !== process.pid && names(pid, text)) process.kill(Number(pid), 'SIGKILL');
  }
}

function names(pid: string, text: string): boolean {
  try {
    return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text));
  } catch {
    return false; // the process has ended, or belongs to another user
  }
}

/** Kills both at the same time. ion is stopped first, so that it cannot end what the launcher leaves. */
export function killTogether(ion: number, launcher: number): void {
  process.kill(ion, 'SIGSTOP');
  process.kill(launcher, 'SIGKILL');
  process.kill(ion, 'SIGKILL');
}
