import {chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {analyzeCommand} from '../../src/session/analyze-command.ts';
import {readerEnvironment} from '../../src/session/command-environment.ts';
import {gitDriverVariables} from '../../src/session/git/driver-variables.ts';
import {checkSafe} from '../../src/shell/read-mode/safe.ts';
import {ionFile, repository} from '../harness/package.ts';
import {makeHostileWorkspace, type HostileWorkspace} from './hostile-workspace.ts';
import {startProgram} from '../harness/run.ts';

const systemProgramFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

export interface Finding {
  readonly command: string;
  readonly changed: readonly string[];
}

/**
 * Runs commands that read mode allows without read mode's kernel protection: in write mode's sandbox, in a disposable
 * workspace. Nothing in it may change, and none of its programs may run. A program that runs would leave a file.
 */
export class ReadSafety {
  readonly #workspace: HostileWorkspace;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #driver;
  readonly #answers;
  readonly #events: string;

  constructor() {
    const root = mkdtempSync('/var/tmp/ion-reading-');
    chmodSync(root, 0o755);
    this.#workspace = makeHostileWorkspace(root);
    this.#environment = readerEnvironment(this.#workspace.environment).variables;
    this.#events = path.join(root, 'events');
    copyFileSync(
      path.join(repository, 'test/oracle/reading-driver.mjs'),
      path.join(this.#workspace.work, 'driver.mjs'),
    );
    const args = ['run', '--events', this.#events, '--', process.execPath, 'driver.mjs'];
    this.#driver = startProgram(
      {home: root, work: this.#workspace.work},
      [process.execPath, ionFile, ...args],
      {
        env: {PATH: '/usr/bin:/bin', TERM: undefined},
        stdio: ['pipe', 'pipe', 'inherit'],
        buffer: false,
      },
    );
    this.#answers = createInterface({input: this.#driver.stdout!})[Symbol.asyncIterator]();
  }

  /** The environment that read mode would set for the command, or undefined if read mode refuses it here. */
  async admit(command: string): Promise<Readonly<Record<string, string>> | undefined> {
    const {work} = this.#workspace;
    const place = {cwd: work, environment: this.#environment};
    const {analysis, programs} = await analyzeCommand(command, place);
    const verdict = checkSafe(analysis, {
      programs,
      systemProgramFolders,
      absoluteSearchPath: true,
      cwd: work,
      workspace: work,
    });
    if (!verdict.safe) return undefined;
    return {...this.#environment, ...gitDriverVariables(analysis, place)};
  }

  /** Runs an allowed command and returns the names of the changed files. */
  async run(command: string, environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
    this.#driver.stdin!.write(`${JSON.stringify({command, environment})}\n`);
    const {value, done} = await this.#answers.next();
    if (done) throw new Error(`the driver has ended at ${JSON.stringify(command)}`);
    return (JSON.parse(value) as {changed: string[]}).changed;
  }

  /** Ends the driver. Returns what the outer sandbox refused. */
  async close(): Promise<readonly string[]> {
    this.#driver.stdin!.end();
    await this.#driver;
    const refused = readFileSync(this.#events, 'utf8')
      .split('\n')
      // Network access does not change files. Read mode has no network anyway.
      .filter((line) => line.includes('"sandbox.violation"') && !line.includes('"protection":"network"'));
    rmSync(this.#workspace.root, {recursive: true, force: true});
    return refused;
  }
}
