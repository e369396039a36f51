import {spawn} from 'node:child_process';
import {chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {analyzeCommand} from '../../src/session/analyze-command.ts';
import {readerEnvironment} from '../../src/session/command-environment.ts';
import {gitDriverVariables} from '../../src/session/git/driver-variables.ts';
import {checkSafe} from '../../src/shell/read-mode/safe.ts';
import {ionFile, repository} from '../harness/package.ts';
import {makeHostileWorkspace, type HostileWorkspace} from './hostile-workspace.ts';

const systemProgramFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

export interface Finding {
  readonly command: string;
  readonly changed: readonly string[];
}

/**
 * Commands that read mode lets through, run without what the kernel holds in read mode: in write mode's boundary, in a
 * workspace that is thrown away. Nothing in it may change, and nothing of it may run, which would leave a file.
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
    this.#driver = spawn(
      process.execPath,
      [ionFile, 'run', '--events', this.#events, '--', process.execPath, 'driver.mjs'],
      {
        cwd: this.#workspace.work,
        env: {PATH: '/usr/bin:/bin', HOME: root, LANG: 'C.UTF-8'},
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    this.#answers = createInterface({input: this.#driver.stdout})[Symbol.asyncIterator]();
  }

  /** Does read mode's check let it through here? The environment that it would run in, or undefined. */
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

  /** Run one that was admitted: the names of what it has changed. */
  async run(command: string, environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
    this.#driver.stdin.write(`${JSON.stringify({command, environment})}\n`);
    const {value, done} = await this.#answers.next();
    if (done) throw new Error(`the driver has ended at ${JSON.stringify(command)}`);
    return (JSON.parse(value) as {changed: string[]}).changed;
  }

  /** Ends the driver; what the outer boundary refused meanwhile. */
  async close(): Promise<readonly string[]> {
    this.#driver.stdin.end();
    await new Promise((resolve) => this.#driver.once('close', resolve));
    const refused = readFileSync(this.#events, 'utf8')
      .split('\n')
      // What a program looks for on the network is no change: read mode has none.
      .filter((line) => line.includes('"sandbox.violation"') && !line.includes('"protection":"network"'));
    rmSync(this.#workspace.root, {recursive: true, force: true});
    return refused;
  }
}
