import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {linkSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {plain, spawnAs} from '../harness/identity.ts';
import {collect, environmentOf, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

// The runner's folders: RUNNER_TEMP with the step's script, and the files by which a step speaks to later ones.
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
  /** What the files hold afterwards, outside and inside. Default: nothing. */
  readonly outside: Partial<Record<Name, string>>;
  readonly inside?: Partial<Record<Name, string>>;
  readonly says: RegExp;
  /** The user's temp folder is the runner's: write roots contain the files. */
  readonly inTemp?: true;
}

const closed = /could not change .*_runner_file_commands.*the runner reads it for later steps/;
const steps: readonly Step[] = [
  {
    name: 'GITHUB_OUTPUT',
    script: 'echo a=b >> "$GITHUB_OUTPUT"',
    outside: {GITHUB_OUTPUT: 'a=b\n'},
    inside: {GITHUB_OUTPUT: 'a=b\n'},
    says: /^ion: the command wrote to GITHUB_OUTPUT, which later steps read$/m,
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

/** Only the variables are a project's: `make` and npm pass them to ion-sh. */
async function run(
  t: TestContext,
  {script, inTemp}: Pick<Step, 'script' | 'inTemp'>,
  confined: boolean,
  prepare: (scratch: Scratch, file: (name: Name) => string) => Readonly<Record<string, string>> = () => ({}),
): Promise<{ended: Ended; scratch: Scratch; holds: Record<string, string>}> {
  const files = Object.fromEntries(Object.values(names).map((name) => [`${folder}/${name}`, '']));
  const scratch = makeScratch(t, plain, {...files, '/_temp/step.sh': `${script}\n`});
  const {root, work} = scratch;
  const bin = shellElsewhere(scratch);
  const file = (name: Name): string => `${root}${folder}/${names[name]}`;
  const own = prepare(scratch, file);
  giveTo(root, plain);
  const variables = Object.fromEntries((Object.keys(names) as Name[]).map((name) => [name, file(name)]));
  const child = spawn(confined ? `${bin}/ion-sh` : '/bin/bash', [`${root}/_temp/step.sh`], {
    cwd: work,
    env: environmentOf(scratch, {
      ...variables,
      ...(inTemp ? {TMPDIR: `${root}/_temp`} : {}),
      ...own,
    }),
    ...spawnAs(plain),
  });
  const ended = await collect(child);
  const holds = Object.fromEntries(
    (Object.keys(names) as Name[])
      .map((name) => [name, readFileSync(file(name), 'utf8')] as const)
      .filter(([, text]) => text !== ''),
  );
  return {ended, scratch, holds};
}

for (const step of steps) {
  test(`a step of a GitHub job writes to ${step.name}`, async (t) => {
    assert.deepEqual((await run(t, step, false)).holds, step.outside, 'outside');
    const {ended, holds} = await run(t, step, true);
    assert.deepEqual(holds, step.inside ?? {}, ended.stderr);
    assert.match(ended.stderr, step.says);
    assert.equal(ended.code, step.inside ? 0 : 1);
    assert.doesNotMatch(ended.stderr, /write_roots/);
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
      run(t, {script}, confined, (scratch, file) => {
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
