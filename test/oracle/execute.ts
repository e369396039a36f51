import {execa} from 'execa';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import type {Readable} from 'node:stream';
import {repository} from '../harness/package.ts';
import {programs} from './generate.ts';

/** Real programs that run others. The PATH of the lines contains nothing else. */
const realPrograms =
  'bash sh cat env nice nohup setsid stdbuf timeout xargs find ionice chrt taskset flock setarch'.split(' ');

const limitMs = 5000;

/** The programs that bash executed for a line, in the order of the log. */
export interface Ran {
  readonly executed: readonly string[][];
  /** The line was still running at the limit, and was killed. */
  readonly late: boolean;
}

/** A folder with shims and wrappers, and a working folder. bash finds no other programs. */
export class Stage {
  readonly #root = mkdtempSync(path.join(realpathSync(tmpdir()), 'ion-oracle-'));
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

  /**
   * A shim writes its name and arguments, and does nothing else. It makes one write, so that concurrent records do not mix.
   */
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

  /** The executions of each line. One driver runs many lines; after a driver had to be killed, another one continues. */
  async run(lines: readonly string[]): Promise<Ran[]> {
    writeFileSync(this.#log, '');
    const late = new Set<number>();
    let done = 0;
    while (done < lines.length) {
      done += await this.#drive(lines.slice(done));
      if (done === lines.length) break;
      late.add(done++);
      writeFileSync(this.#log, `${mark}\0`, {flag: 'a'});
    }
    const records = readFileSync(this.#log, 'utf8').split(`${mark}\0`);
    return lines.map((_, at) => ({executed: readLog(records[at]!), late: late.has(at)}));
  }

  /** How many of the lines ended by themselves: all of them, or those before the line that did not. */
  async #drive(lines: readonly string[]): Promise<number> {
    const driver = execa('/bin/bash', [path.join(repository, 'test/oracle/oracle-driver.sh'), this.#log], {
      cwd: this.#work,
      env: {PATH: this.#bin, HOME: this.#work, LC_ALL: 'C.UTF-8'},
      extendEnv: false,
      input: lines.map((line) => `${line}\0`).join(''),
      stderr: 'ignore',
      buffer: false,
      detached: true,
      cleanup: false,
      reject: false,
    });
    let done = 0;
    const stop = (): void => this.#kill(driver.stdout);
    let timer = setTimeout(stop, limitMs);
    driver.stdout.on('data', (dots: Buffer) => {
      done += dots.length;
      clearTimeout(timer);
      if (done < lines.length) timer = setTimeout(stop, limitMs);
    });
    await driver;
    clearTimeout(timer);
    return done;
  }

  /**
   * Every process with the working folder belongs to the line, whatever its session. A lock that it holds would block the
   * next line.
   */
  #kill(stdout: Readable): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) === this.#work) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has ended, or belongs to another user.
      }
    }
    stdout.destroy();
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, {recursive: true, force: true});
  }
}

const mark = '\u001d';

function readLog(text: string): string[][] {
  const records = text.split('\u001e\0').slice(0, -1);
  return records.map((record) => record.split('\0').slice(0, -1));
}
