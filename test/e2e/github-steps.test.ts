import assert from 'node:assert/strict';
import {existsSync, linkSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {identities, plain, type Identity} from '../harness/identity.ts';
import {ionFile, packageRoot} from '../harness/package.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

// The runner's folders: RUNNER_TEMP with the step's script, and the files by which a step passes data to later ones.
const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
const folder = '/_temp/_runner_file_commands';
const names = {
  GITHUB_OUTPUT: `set_output_${id}`,
  GITHUB_STEP_SUMMARY: `step_summary_${id}`,
  GITHUB_ENV: `set_env_${id}`,
  GITHUB_PATH: `add_path_${id}`,
  GITHUB_STATE: `save_state_${id}`,
} as const;
type Name = keyof typeof names;

interface Step {
  readonly name: string;
  readonly script: string;
  /** The contents of the files afterwards, outside and inside. Default: nothing. */
  readonly outside: Partial<Record<Name, string>>;
  readonly inside?: Partial<Record<Name, string>>;
  readonly says: RegExp;
  /** What the files hold before. Default: nothing. */
  readonly before?: string;
  /** The user's temp folder is the runner's: write roots contain the files. */
  readonly inTemp?: true;
}

const closed = /could not change .*_runner_file_commands.*the runner reads it for later steps/;
const wrote = /^ion: the command wrote to GITHUB_OUTPUT, which later steps read$/m;
const steps: readonly Step[] = [
  {
    name: 'GITHUB_OUTPUT',
    script: 'echo a=b >> "$GITHUB_OUTPUT"',
    outside: {GITHUB_OUTPUT: 'a=b\n'},
    inside: {GITHUB_OUTPUT: 'a=b\n'},
    says: wrote,
  },
  {
    name: 'GITHUB_OUTPUT, with the same size and the time of before',
    script: 'touch -r "$GITHUB_OUTPUT" ref; echo c=d > "$GITHUB_OUTPUT"; touch -r ref "$GITHUB_OUTPUT"',
    before: 'a=b\n',
    outside: {GITHUB_OUTPUT: 'c=d\n'},
    inside: {GITHUB_OUTPUT: 'c=d\n'},
    says: wrote,
  },
  {
    name: 'GITHUB_STEP_SUMMARY',
    script: 'echo "# it" > "$GITHUB_STEP_SUMMARY"',
    outside: {GITHUB_STEP_SUMMARY: '# it\n'},
    inside: {GITHUB_STEP_SUMMARY: '# it\n'},
    says: /^ion: the command wrote to GITHUB_STEP_SUMMARY, which later steps read$/m,
  },
  ...(['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE'] as const).flatMap((name): Step[] => [
    {name, script: `echo NODE_OPTIONS=x >> "$${name}"`, outside: {[name]: 'NODE_OPTIONS=x\n'}, says: closed},
    {
      name: `${name} in a temp folder`,
      script: `echo NODE_OPTIONS=x >> "$${name}"`,
      outside: {[name]: 'NODE_OPTIONS=x\n'},
      says: closed,
      inTemp: true,
    },
  ]),
];

/** How a step starts its script. */
interface Way {
  readonly as?: Identity;
  /** Default: bash, without ion. */
  readonly by?: 'ion-sh' | 'ion run' | 'session';
  readonly config?: string;
  readonly flags?: readonly string[];
}

interface Ran {
  readonly ended: Ended;
  readonly scratch: Scratch;
  /** The files that have content, or another one than before. */
  readonly holds: Record<string, string>;
  /** Variables of `step.written` in the audit log. */
  readonly recorded: readonly string[];
}

/** Only the variables come from a project: `make` and npm pass them to ion-sh. */
async function run(
  t: TestContext,
  {script, inTemp, before = ''}: Pick<Step, 'script' | 'inTemp' | 'before'>,
  {as = plain, by, config = '', flags = []}: Way,
  prepare: (scratch: Scratch, file: (name: Name) => string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Ran> {
  const files = Object.fromEntries(Object.values(names).map((name) => [`${folder}/${name}`, before]));
  const scratch = makeScratch(t, as, {
    ...files,
    '/_temp/step.sh': `${script}\n`,
    '/session.mjs': session,
    ...(config === '' ? {} : {'~/.ion/config.toml': config}),
  });
  const {root, home} = scratch;
  const bin = shellElsewhere(scratch);
  const file = (name: Name): string => `${root}${folder}/${names[name]}`;
  const own = prepare(scratch, file);
  giveTo(root, as);
  const variables = Object.fromEntries((Object.keys(names) as Name[]).map((name) => [name, file(name)]));
  const words = {
    'ion-sh': [`${bin}/ion-sh`, `${root}/_temp/step.sh`],
    'ion run': [process.execPath, ionFile, 'run', ...flags, script],
    session: [process.execPath, `${root}/session.mjs`, script],
    bash: ['/bin/bash', `${root}/_temp/step.sh`],
  }[by ?? 'bash'];
  const env = {...variables, ...(inTemp ? {TMPDIR: `${root}/_temp`} : {}), ...own};
  const ended = await runProgram(scratch, words, {as, env});
  const holds = Object.fromEntries(
    (Object.keys(names) as Name[])
      .map((name) => [name, readFileSync(file(name), 'utf8')] as const)
      .filter(([, text]) => text !== before),
  );
  const log = `${home}/.ion/audit/audit.jsonl`;
  const records = existsSync(log) ? readFileSync(log, 'utf8') : '';
  const recorded = [...records.matchAll(/"type":"step\.written","variable":"(\w+)"/g)].map(
    ([, name]) => name!,
  );
  return {ended, scratch, holds, recorded};
}

/** A program that uses the library: many commands in one session. */
const session = `import {open} from '${packageRoot}/lib/index.mjs';
const session = await open();
const {exitCode, stderr, denials} = await session.spawn(process.argv[2], {reject: false});
console.error(stderr, denials.map(({path}) => path).join(' '));
await session.close();
process.exitCode = exitCode;
`;

for (const step of steps) {
  test(`a step of a GitHub job without ion writes to ${step.name}`, async (t) => {
    assert.deepEqual((await run(t, step, {})).holds, step.outside);
  });
  for (const as of identities) {
    for (const by of ['ion-sh', 'ion run'] as const) {
      test(`a step of a GitHub job writes to ${step.name} (${by}, ${as.name})`, async (t) => {
        const {ended, holds, recorded} = await run(t, step, {as, by});
        assert.deepEqual(holds, step.inside ?? {}, ended.stderr);
        assert.deepEqual(recorded, Object.keys(step.inside ?? {}), ended.stderr);
        assert.match(ended.stderr, step.says);
        assert.equal(ended.code, step.inside ? 0 : 1);
        assert.doesNotMatch(ended.stderr, /write_roots/);
      });
    }
  }
}

for (const as of identities) {
  for (const name of Object.keys(names) as Name[]) {
    const script = `echo a=b >> "$${name}"`;
    for (const inTemp of [{}, {inTemp: true}] as const) {
      const where = inTemp.inTemp ? ' in a temp folder' : '';
      test(`read mode: ${name}${where} stays closed (${as.name})`, async (t) => {
        const config = '[permissions]\nread = "kernel"\n';
        const way: Way = {as, by: 'ion run', config, flags: ['--read']};
        const {ended, holds, recorded} = await run(t, {script, ...inTemp}, way);
        assert.deepEqual([holds, recorded, ended.code], [{}, [], 1], ended.stderr);
        assert.match(ended.stderr, /could not (?:change|write)|Permission denied|Read-only/);
      });
      test(`a session of the library: ${name}${where} stays closed (${as.name})`, async (t) => {
        const {ended, holds} = await run(t, {script, ...inTemp}, {as, by: 'session'});
        assert.deepEqual([holds, ended.code], [{}, 1], ended.stderr);
        assert.match(ended.stderr, new RegExp(names[name]));
      });
    }
  }
  test(`a step that is ended at its time limit has written to GITHUB_OUTPUT (${as.name})`, async (t) => {
    const script = 'echo a=b >> "$GITHUB_OUTPUT"; sleep 60';
    const {ended, recorded} = await run(t, {script}, {as, by: 'ion run', flags: ['--timeout', '2s']});
    assert.deepEqual([recorded, ended.code], [['GITHUB_OUTPUT'], 124], ended.stderr);
    assert.match(ended.stderr, wrote);
  });
}

/** A project names another file in GITHUB_OUTPUT. */
const elsewhere: readonly {
  name: string;
  prepare: (scratch: Scratch, file: (name: Name) => string) => Readonly<Record<string, string>>;
}[] = [
  {name: 'a file of home', prepare: ({home}) => ({GITHUB_OUTPUT: `${home}/.profile`})},
  {name: 'GITHUB_ENV', prepare: (_scratch, file) => ({GITHUB_OUTPUT: file('GITHUB_ENV')})},
  {
    name: 'a symlink with the name of the runner',
    prepare: ({home}, file) => {
      rmSync(file('GITHUB_OUTPUT'));
      symlinkSync(`${home}/.profile`, file('GITHUB_OUTPUT'));
      return {};
    },
  },
  {
    name: 'a hard link with the name of the runner',
    prepare: ({home}, file) => {
      rmSync(file('GITHUB_OUTPUT'));
      linkSync(`${home}/.profile`, file('GITHUB_OUTPUT'));
      return {};
    },
  },
  {
    name: 'a folder that is a link',
    prepare: ({root}) => {
      symlinkSync(`${root}${folder}`, `${root}/file_commands`);
      return {GITHUB_OUTPUT: `${root}/file_commands/${names.GITHUB_OUTPUT}`};
    },
  },
];

for (const {name, prepare} of elsewhere) {
  test(`GITHUB_OUTPUT names ${name}: it stays closed`, async (t) => {
    const script = 'echo evil >> "$GITHUB_OUTPUT"';
    const attack = (confined: boolean): ReturnType<typeof run> =>
      run(t, {script}, confined ? {by: 'ion-sh'} : {}, (scratch, file) => {
        writeFileSync(`${scratch.home}/.profile`, '');
        return prepare(scratch, file);
      });
    const changed = ({scratch, holds}: Awaited<ReturnType<typeof run>>): boolean =>
      readFileSync(`${scratch.home}/.profile`, 'utf8') !== '' || Object.keys(holds).length > 0;
    assert.equal(changed(await attack(false)), true, 'outside');
    const inside = await attack(true);
    assert.equal(changed(inside), false, inside.ended.stderr);
    assert.equal(inside.ended.code, 1);
  });
}
