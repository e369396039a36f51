import assert from 'node:assert/strict';
import {existsSync, readdirSync, utimesSync} from 'node:fs';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {howMany} from '../harness/extent.ts';
import {gitEnvironment, makeRepository} from '../harness/git.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {ionFile, packageRoot} from '../harness/package.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** A private temp folder, so that a killed run leaves something. */
const config = '[sandbox]\ntmp = "private"\n[environment]\nexclude = ["LD_PRELOAD"]\n';

/** Forks, sessions, double forks, ignored signals and writes, until it is killed. It changes the terminal, if there is one. */
const busy = `test -t 0 && stty raw -echo
for i in 1 2 3; do (while :; do echo $i > f$i; mv f$i g$i; rm g$i; done) & done
setsid bash -c 'trap : TERM HUP INT; while :; do (:); done' &
(setsid bash -c 'while :; do sleep 0.01; done' &)
( (while :; do setsid true; done) & )
set -m; sleep 300 & wait`;

/** A program with a session: what its second command needs is made ahead. */
const session = `import {open} from '${packageRoot}/lib/index.mjs';
const session = await open({cwd: process.cwd()});
await session.spawn('true');
await session.spawn(process.argv[2], {stdio: 'inherit'});`;

interface Way {
  readonly name: string;
  readonly program: (scratch: Scratch) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Without a PID namespace the command's descendants live on where no process is left to end them (docs/limits.md). */
  readonly outlivedBy: readonly Victim[];
}
type Victim = (typeof victims)[number];
const victims = ['ion', 'launcher', 'both', 'group'] as const;

const together = ['both', 'group'] as const;
const run = [process.execPath, ionFile, 'run'];
const without = [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
const ways: readonly Way[] = [
  {name: 'a PID namespace', program: () => run, outlivedBy: []},
  {
    name: 'a session, with a PID namespace made ahead',
    program: ({root}) => [process.execPath, `${root}/session.mjs`],
    outlivedBy: [],
  },
  {
    name: 'processes = "shared"',
    program: () => [...run, '--set', 'sandbox.processes=shared'],
    outlivedBy: together,
  },
  {name: 'no namespaces', program: () => [...without, ...run], outlivedBy: together},
  {
    name: 'no namespaces, Landlock ABI 1',
    program: () => [...without, ...run],
    env: {LD_PRELOAD: compiled('older-landlock.c'), ION_TEST_ABI: '1'},
    outlivedBy: together,
  },
];

/** For each way. */
const kills = howMany({quick: 2, whole: 60, full: 60});
const longestUs = 300_000;
/** In which a killed run has to be gone, and in which one that may live on is looked at. */
const limitMs = {gone: 20_000, outlived: 200};

for (const as of testers) {
  for (const way of ways) {
    test(`${kills} kills at random times leave no process, folder or changed terminal: ${way.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc', 'git', 'setsid')) return;
      const scratch = makeScratch(t, as, {
        '~/.ion/config.toml': config,
        '/session.mjs': session,
        '/temp/': '',
      });
      makeRepository(scratch, as);
      const first = Math.floor(Math.random() * victims.length);
      for (let number = 0; number < kills; number++) {
        const one = {
          victim: victims[(first + number) % victims.length]!,
          since: Math.random() < 0.3 ? 'start' : 'launcher',
          us: Math.floor(Math.random() * longestUs),
          streams: Math.random() < 0.5 ? 'terminal' : 'pipe',
        } as const;
        checkLeft(await strike(scratch, as, way, one), way, one);
      }
      await nextRunCleansUp(scratch, as, way);
    });
  }
}

interface Kill {
  readonly victim: Victim;
  readonly since: 'start' | 'launcher';
  readonly us: number;
  readonly streams: 'terminal' | 'pipe';
}

/** The line of kill-run.c. */
async function strike(scratch: Scratch, as: Identity, way: Way, kill: Kill): Promise<string> {
  const {victim, since, us, streams} = kill;
  const limit = way.outlivedBy.includes(victim) ? limitMs.outlived : limitMs.gone;
  const {code, stdout, stderr} = await runProgram(
    scratch,
    [
      compiled('kill-run.c'),
      victim,
      since,
      String(us),
      String(limit),
      streams,
      ...way.program(scratch),
      busy,
    ],
    {as, env: {...environment(scratch), ...way.env}},
  );
  assert.equal(code, 0, `${JSON.stringify(kill)}: ${stderr}`);
  return stdout;
}

function checkLeft(line: string, way: Way, kill: Kill): void {
  const about = `${JSON.stringify(kill)}: ${line}`;
  const [, left = '', terminal] = /left:(.*); terminal: (.*)\n/.exec(line) ?? assert.fail(about);
  if (way.outlivedBy.includes(kill.victim)) assert.doesNotMatch(left, / (ion|ion-launcher|node)\(/, about);
  else assert.equal(left, '', about);
  // Where both are killed, the shell that started ion has to restore the terminal, as for every program.
  const isRestored = kill.victim === 'ion' || kill.victim === 'launcher';
  if (isRestored) assert.equal(terminal, kill.streams === 'terminal' ? 'same' : 'none', about);
}

async function nextRunCleansUp(scratch: Scratch, as: Identity, way: Way): Promise<void> {
  const [runs, temps] = [`${scratch.home}/.ion/run`, `${scratch.home}/.ion/tmp`];
  for (const name of namesIn(runs)) utimesSync(`${runs}/${name}`, 1e9, 1e9); // a young one may be of a run that begins
  const ended = await runProgram(scratch, [...way.program(scratch), 'true'], {
    as,
    env: {...environment(scratch), ...way.env},
  });
  assert.deepEqual(ended, {code: 0, signal: null, stdout: '', stderr: ''});
  assert.deepEqual([namesIn(runs), namesIn(temps)], [[], []]);
  const {code, stderr} = await runIon(scratch, ['audit', 'verify'], {as});
  assert.equal(code, 0, stderr);
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const environment = ({root}: Scratch): Record<string, string> => ({
  ...gitEnvironment,
  TMPDIR: `${root}/temp`,
});
