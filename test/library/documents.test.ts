import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {execa} from 'execa';
import {own} from '../harness/identity.ts';
import {packageRoot, repository} from '../harness/package.ts';
import {makeScratch, type Files, type Scratch} from '../harness/scratch.ts';
import {declarations, publicTypes} from './public-types.ts';
import {runProgram} from '../harness/run.ts';

/** Makes a project that has the package installed. */
function project(t: TestContext, files: Files): Scratch {
  const scratch = makeScratch(t, own, files);
  mkdirSync(`${scratch.work}/node_modules`);
  symlinkSync(packageRoot, `${scratch.work}/node_modules/ion-sandbox`);
  return scratch;
}

const [first = '', loop = '', runner = ''] = [
  ...readFileSync(path.join(repository, 'docs/library.md'), 'utf8').matchAll(/^```js\n([^]*?)^```$/gm),
].map(([, text]) => text!);

interface Example {
  readonly name: string;
  readonly program: string;
  readonly files?: Files;
  readonly input?: string;
  readonly prints: RegExp;
}

const examples: readonly Example[] = [
  {name: 'the first', program: first, prints: /'write \/.*\/notes'/},
  {
    name: "an agent's loop",
    program: loop,
    // The input ends before the second question.
    input: 'once\n',
    prints: /^exit code 0\n[^]*program\.mjs[^]*denied: .*touch notes.*\ndenied: "rm -rf \/"/,
  },
  {
    name: 'a test runner',
    program: runner,
    files: {'good.test.js': 'console.log(1)', 'bad.test.js': 'console.log("why"); process.exit(1)'},
    prints: /failed bad\.test\.js \d+ ms\nwhy\n/,
  },
];

for (const {name, program, files = {}, input = '', prints} of examples) {
  test(`docs/library.md: ${name}`, async (t) => {
    const scratch = project(t, {...files, 'program.mjs': program});
    const argv = [process.execPath, 'program.mjs'];
    const {stdout, stderr} = await runProgram(scratch, argv, {stdin: input});
    assert.match(stdout, prints, stderr);
  });
}

test('the types that the package ships are those of the source (npm run readme)', () => {
  assert.equal(readFileSync(path.join(repository, declarations), 'utf8'), publicTypes(repository));
});

const uses = `
const session: Session = await open({settings: {sandbox: {network: 'none'}}, onAsk: () => 'once'});
const child = session.spawn(['echo', 'x'], {stdio: ['ignore', 'pipe', 'inherit'], encoding: 'buffer'});
child.on('exit', (code: number | null) => code?.toFixed());
child.stdout?.setEncoding('utf8');
const result: Result = await child;
result.denials.map((denial) => denial.would_allow?.length);
// @ts-expect-error what is not an answer is refused
await open({onAsk: () => 'maybe'});
// @ts-expect-error no such field
result.exitcode;
await session.close();
`;

test('the types serve a program of either kind', async () => {
  // Inside the repository, which has the compiler and the types of Node.
  const folder = mkdtempSync(path.join(repository, 'build/types-'));
  try {
    mkdirSync(`${folder}/node_modules`);
    symlinkSync(repository, `${folder}/node_modules/ion-sandbox`);
    writeFileSync(
      `${folder}/esm.mts`,
      `import {open, type Result, type Session} from 'ion-sandbox';\n${uses}`,
    );
    const required = `import ion = require('ion-sandbox');\nimport type {Result, Session} from 'ion-sandbox';\nconst {open} = ion;`;
    writeFileSync(`${folder}/cjs.cts`, `${required}\nasync function main() {${uses}}\nvoid main;\n`);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({compilerOptions, include: ['*.mts', '*.cts']}));
    const tsc = path.join(repository, 'node_modules/.bin/tsc');
    const {stdout, exitCode} = await execa(tsc, ['-p', folder], {cwd: folder, reject: false});
    assert.equal(stdout, '');
    assert.equal(exitCode, 0);
    assert.deepEqual(readdirSync(folder).sort(), ['cjs.cts', 'esm.mts', 'node_modules', 'tsconfig.json']);
  } finally {
    rmSync(folder, {recursive: true});
  }
});
