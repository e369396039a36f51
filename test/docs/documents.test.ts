import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {runOptions} from '../../src/cli/run-options.ts';
import {enforcedBy, type ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import {schema} from '../../src/config/schema.ts';
import {documented} from '../kernels/documented.ts';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {runIon, runProgram, type Ended} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {examplesOf, matches} from './examples.ts';
import {recorded, tableMarks, withTables} from './tables.ts';

const documents = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs').map((name) => `docs/${name}`),
];
const textOf = (file: string): string => readFileSync(file, 'utf8');

test('README: at most 10 KB', () => {
  assert.ok(textOf('README.md').length <= 10_240, `${textOf('README.md').length}`);
});

test('tables: they match the code (npm run readme), and each is in one document', () => {
  for (const file of documents) assert.equal(textOf(file), withTables(textOf(file)), file);
  for (const mark of tableMarks) {
    assert.equal(documents.filter((file) => textOf(file).includes(mark)).length, 1, mark);
  }
});

test('results.json: on real kernels each protection has the level of the matrix (npm run kernels)', () => {
  const wrong = recorded.flatMap(({kernel, as, doctor, table}) => {
    const levels = enforcedBy(documented.find(({id}) => id === kernel)!.features[as]);
    const seen = (id: ProtectionId): (string | undefined)[] => [doctor?.levels[id], table?.counts[id]?.level];
    return levels.flatMap(({id, level}) =>
      seen(id)
        .filter((one) => one && one !== 'refused' && one !== level)
        .map((one) => `${kernel}, ${as}: ${id}: ${one}, the matrix says ${level}`),
    );
  });
  assert.deepEqual(wrong, []);
});

test('docs/config.md: every key is in the reference', () => {
  const config = textOf('docs/config.md');
  assert.deepEqual(
    Object.keys(schema).filter((key) => !config.includes(key.split('.').at(-1)!)),
    [],
  );
});

test('docs/cli.md: every option of ion run is there', () => {
  const cli = textOf('docs/cli.md');
  assert.deepEqual(
    runOptions.filter(({flag}) => !cli.includes(flag)),
    [],
  );
});

test('links: each leads to a file and a heading that exist', () => {
  const broken = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)].flatMap(([, target = '', anchor]) => {
      const found = target === '' ? file : path.join(path.dirname(file), target);
      if (!existsSync(found)) return [`${file}: ${target}`];
      return anchor === undefined || anchorsOf(textOf(found)).includes(anchor)
        ? []
        : [`${file}: ${target}${anchor}`];
    }),
  );
  assert.deepEqual(broken, []);
});

/** GitHub's anchors: lower case, no punctuation, hyphens for blanks. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')}`,
  );
}

const configs = [
  ...documents.flatMap((file) =>
    [...textOf(file).matchAll(/^```toml.*\n([^]*?)^```$/gm)].map(
      ([, text = ''], at) => [`${file}, block ${at + 1}`, text] as const,
    ),
  ),
  ...readdirSync('examples')
    .filter((name) => name.endsWith('.toml'))
    .map((name) => [`examples/${name}`, textOf(`examples/${name}`)] as const),
];

test('every config in documents and examples is valid', async (t) => {
  const scratch = makeScratch(
    t,
    plain,
    Object.fromEntries(configs.map(([, text], at) => [`${at}.toml`, text])),
  );
  for (const [at, [name]] of configs.entries()) {
    const {code, stderr} = await runIon(scratch, ['check', '--config', `${at}.toml`, 'true'], {as: plain});
    assert.equal(code, 0, `${name}: ${stderr}`);
  }
});

for (const file of documents) {
  for (const {line, steps} of examplesOf(textOf(file))) {
    test(`${file}: the example at line ${line}`, async (t) => {
      if (!requireProgram(t, 'git')) return;
      const scratch = makeScratch(t, plain, {
        '~/.gitconfig': '[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n',
        '~/.ssh/id_ed25519': 'PRIVATE\n',
        'README.md': 'hello\n',
      });
      const ready = await typed('git init -q . && git add . && git commit -qm first', scratch);
      assert.equal(ready.code, 0, ready.stderr);
      for (const {command, output} of steps) {
        const {stdout} = await typed(`{ ${command}\n} 2>&1`, scratch);
        assert.ok(matches(stdout, output), `${command}\nprints:\n${stdout}\nand ${file} says:\n${output}`);
      }
    });
  }
}

function typed(command: string, scratch: Scratch): Promise<Ended> {
  const script = `ion() { '${process.execPath}' '${ionFile}' "$@"; }; ${command}`;
  return runProgram(scratch, ['bash', '-c', script], {
    as: plain,
    env: {npm_config_update_notifier: 'false'}, // on some days npm reports its own new version between the lines
  });
}
