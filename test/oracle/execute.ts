import {spawn} from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {programs} from './generate.ts';

/** Real programs that run others; nothing else is in the PATH of the lines. */
const realPrograms =
  'bash sh cat env nice nohup setsid stdbuf timeout xargs find ionice chrt taskset flock setarch'.split(' ');

/** One folder with shims and wrappers, and a working folder: bash finds nothing else. */
export class Stage {
  readonly #root = mkdtempSync(path.join(tmpdir(), 'ion-oracle-'));
  readonly #bin = path.join(this.#root, 'bin');
  readonly #work = path.join(this.#root, 'work');
  readonly #log = path.join(this.#root, 'log');
  readonly wrappers: ReadonlySet<string>;

  constructor() {
    mkdirSync(this.#bin);
    mkdirSync(this.#work);
    for (const program of programs) this.#shim(program);
    this.wrappers = new Set(realPrograms.filter((name) => this.#link(name)));
  }

  /** A shim writes its name and arguments, and does nothing. One write: two at once do not mix. */
  #shim(name: string): void {
    const file = path.join(this.#bin, name);
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' ${name} "$@" '\u001e' >> '${this.#log}'\n`);
    chmodSync(file, 0o755);
  }

  #link(name: string): boolean {
    for (const folder of ['/usr/bin', '/bin']) {
      try {
        accessSync(path.join(folder, name), constants.X_OK);
      } catch {
        continue;
      }
      symlinkSync(path.join(folder, name), path.join(this.#bin, name));
      return true;
    }
    return false;
  }

  /** What bash really executed, in the order of the log. */
  async run(line: string): Promise<string[][]> {
    writeFileSync(this.#log, '');
    const child = spawn('/bin/bash', ['-c', line], {
      cwd: this.#work,
      env: {PATH: this.#bin, HOME: this.#work, LC_ALL: 'C.UTF-8'},
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    child.stdout.resume();
    const timer = setTimeout(() => kill(child.pid), 10_000);
    // Not 'exit': what runs in the background holds stdout open until it is done.
    await new Promise((resolve) => child.on('close', resolve));
    // … but a process substitution does not: wait for the last of the group.
    while (isAlive(child.pid)) await sleep(2);
    clearTimeout(timer);
    return readLog(readFileSync(this.#log, 'utf8'));
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, {recursive: true, force: true});
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function readLog(text: string): string[][] {
  const records = text.split('\u001e\0').slice(0, -1);
  return records.map((record) => record.split('\0').slice(0, -1));
}
