import assert from 'node:assert/strict';
import {existsSync, readFileSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {identities, plain, type Identity} from '../harness/identity.ts';
import {collect, startProgram, type Started} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/** ion decides on the text of a script. Another process in the workspace changes the file before bash opens it. */
const texts = ['echo first', 'echo other'] as const;

const swaps: readonly {name: string; swap: (file: string, text: string) => void}[] = [
  {
    name: 'is replaced by a rename',
    swap: (file, text) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    },
  },
  // Of the same length, so that no text is half of one.
  {name: 'is written in place', swap: (file, text) => writeFileSync(file, text, {flag: 'r+'})},
  {
    name: 'is a symlink with another target',
    swap: (file, text) => {
      const target = `${file}.${text.at(-1)}`;
      if (!existsSync(target)) writeFileSync(target, text);
      symlinkSync(target, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
  },
];

/** Each run for which the file had the other text in between would run what was not decided. */
const tries = 8;

interface Event {
  readonly type: string;
  readonly action?: {readonly command: string};
}

function startShell(scratch: Scratch, folder: string, as: Identity): Started {
  return startProgram(scratch, [`${folder}/ion-sh`, 'step.sh'], {as});
}

function decidedCommand({home}: Scratch): string {
  const records = readFileSync(`${home}/.ion/audit/audit.jsonl`, 'utf8').trim().split('\n');
  const events = records.map((line) => (JSON.parse(line) as {event: Event}).event);
  return events.findLast(({type}) => type === 'run.started')?.action?.command ?? '';
}

interface Race {
  readonly as: Identity;
  readonly swap: (file: string, text: string) => void;
  readonly config?: string;
}

/** Throws where the command that ran is not the one of the record. */
async function race(t: TestContext, {as, swap, config = ''}: Race): Promise<void> {
  const scratch = makeScratch(t, as, {'step.sh': texts[0], '~/.ion/config.toml': config});
  const folder = shellElsewhere(scratch);
  giveTo(scratch.root, as);
  let turn = 0;
  for (let at = 0; at < tries; at++) {
    const child = startShell(scratch, folder, as);
    const swapping = setInterval(() => swap(`${scratch.work}/step.sh`, texts[turn++ % 2]!), 1);
    const {code, stdout, stderr} = await collect(child).finally(() => clearInterval(swapping));
    assert.deepEqual(
      [code, `echo ${stdout}`],
      [0, `${decidedCommand(scratch)}\n`],
      `run ${at + 1}: ${stderr}`,
    );
  }
}

for (const as of identities) {
  for (const {name, swap} of swaps) {
    test(`a script that ${name} while ion decides: what was decided runs (${as.name})`, (t) =>
      race(t, {as, swap}));
  }
}

/** Settings with which the supervisor looks at fewer opens, or at all of them. */
for (const config of [
  '[sandbox]\nreport = "minimal"\n',
  '[sandbox]\nreport = "all"\n',
  '[permissions]\ndenied_paths = ["**/*.secret"]\n',
  '[permissions]\nmode = "read"\n',
]) {
  test(`a script that is replaced while ion decides, with ${config.trim().replaceAll('\n', ' ')}`, (t) =>
    race(t, {as: plain, swap: swaps[0]!.swap, config}));
}
