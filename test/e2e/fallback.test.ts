import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {packageRoot, repository} from '../harness/package.ts';
import {packageWithoutNative} from '../harness/plain-package.ts';
import {runIon, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/** Without the native part: ion reports it, checks the command's text, and refuses where that is not enough. */
const {ion, remove} = packageWithoutNative();
after(remove);

function run(
  scratch: Scratch,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return runIon(scratch, args, {program: ion, as: plain, env, stdio: ['ignore', 'pipe', 'pipe']});
}

const stated =
  'ion: no file sandbox here (the native part is not built): only paths named in the command are checked\n' +
  'help: "ion doctor" shows what is missing; with sandbox = "require" ion refuses to run\n';

test('a command runs, and ion reports what is missing', async (t) => {
  const {code, stdout, stderr} = await run(makeScratch(t, plain), ['run', 'echo hi > f && cat f; exit 3']);
  assert.deepEqual({code, stdout, stderr}, {code: 3, stdout: 'hi\n', stderr: stated});
});

test('a reader of a pipe that is still reading when the command ends gets everything', async (t) => {
  const script = 'exec > >(sleep .1; cat); echo hi; exit 3';
  const {code, stdout, stderr} = await run(makeScratch(t, plain), ['run', script]);
  assert.deepEqual({code, stdout, stderr}, {code: 3, stdout: 'hi\n', stderr: stated});
});

test('a path outside is denied before anything runs', async (t) => {
  const scratch = makeScratch(t, plain);
  const {code, stderr} = await run(scratch, ['run', 'touch inside; echo x > ../outside']);
  assert.equal(code, 126);
  assert.equal(
    stderr,
    `${stated}ion: denied: "../outside" (${scratch.home}/outside) is outside the writable folders\n` +
      'help: write below the workspace or the temp folder instead\n',
  );
  assert.ok(!existsSync(path.join(scratch.work, 'inside')));
});

test('a command that cannot be analysed is denied, and ion check agrees', async (t) => {
  const scratch = makeScratch(t, plain);
  const {code, stderr} = await run(scratch, ['run', 'cat $X']);
  assert.equal(code, 126);
  assert.match(stderr, /ion: denied: "\$X" is known only when it runs\nhelp: the system has no sandbox/);
  assert.equal((await run(scratch, ['check', 'cat $X'])).code, 126);
});

for (const [name, config, want] of [
  [
    'sandbox = "require"',
    '[permissions]\nsandbox = "require"\n',
    /the config requires what this machine does not enforce/,
  ],
  ['network = "none", written out', '[sandbox]\nnetwork = "none"\n', /cannot enforce network = "none" here/],
] as const) {
  test(`${name} is refused`, async (t) => {
    const scratch = makeScratch(t, plain);
    writeFileSync(`${scratch.root}/c.toml`, config);
    giveTo(scratch.root, plain);
    const {code, stdout, stderr} = await run(scratch, [
      'run',
      '--config',
      `${scratch.root}/c.toml`,
      'echo hi',
    ]);
    assert.deepEqual({code, stdout}, {code: 125, stdout: ''});
    assert.match(stderr, want);
  });
}

test('the facts claim nothing', async (t) => {
  const {stderr} = await run(makeScratch(t, plain), ['run', '--json', 'true']);
  const {sandbox} = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {
    sandbox: {backend: string; enforced: boolean; enforcement: {level: string}[]};
  };
  assert.deepEqual(
    {backend: sandbox.backend, enforced: sandbox.enforced},
    {backend: 'app-level', enforced: false},
  );
  assert.ok(sandbox.enforcement.every(({level}) => level !== 'enforced'));
});

test('on Windows ion runs nothing, and points to WSL2', async (t) => {
  const scratch = makeScratch(t, plain, {
    '/win.cjs': "Object.defineProperty(process, 'platform', {value: 'win32'});",
  });
  for (const args of [['run', 'echo hi'], ['run', '--no-sandbox', 'echo hi'], ['doctor'], ['config']]) {
    const {code, stdout, stderr} = await run(scratch, args, {
      NODE_OPTIONS: `--require ${scratch.root}/win.cjs`,
    });
    assert.deepEqual({code, stdout}, {code: 125, stdout: ''});
    assert.match(stderr, /^ion: Windows is not supported: .*\nhelp: run ion inside WSL2/);
  }
});

test('on a Mac the package installs without a compiler, and needs none', (t) => {
  const {root} = makeScratch(t, plain, {
    '/mac.cjs': "Object.defineProperty(process, 'platform', {value: 'darwin'});",
  });
  const folder = `${root}/package`;
  for (const part of ['package.json', 'bin', 'dist', 'profiles']) {
    cpSync(`${packageRoot}/${part}`, `${folder}/${part}`, {recursive: true});
  }
  for (const part of ['install.mjs', 'finish.mjs', 'starters.mjs', 'code-cache.mjs']) {
    cpSync(`${repository}/native/${part}`, `${folder}/native/${part}`);
  }
  for (const platform of ['darwin', 'linux']) {
    const {status, stdout, stderr} = spawnSync(
      process.execPath,
      [...(platform === 'darwin' ? ['--require', `${root}/mac.cjs`] : []), 'native/install.mjs'],
      {cwd: folder, env: {PATH: '/nonexistent', HOME: root}, encoding: 'utf8'},
    );
    assert.deepEqual({status, stdout}, {status: 0, stdout: ''}, stderr);
    // The same package without a compiler on Linux: here the native part is missing, and ion reports it.
    if (platform === 'linux')
      assert.match(stderr, /the native part could not be built[^]*\nhelp: install a C and a C\+\+ compiler/);
    else assert.equal(stderr, '');
    assert.equal(existsSync(`${folder}/native/build`), false);
  }
  const {stdout} = spawnSync(process.execPath, [`${folder}/bin/ion`, '--version'], {encoding: 'utf8'});
  assert.match(stdout, /^\d+\.\d+\.\d+/);
});

test('an older build is built anew, also beside a prebuild that works', (t) => {
  const {root} = makeScratch(t, plain);
  const prebuilt = `prebuilds/linux-${process.arch}`;
  cpSync(`${packageRoot}/package.json`, `${root}/package.json`);
  cpSync(`${packageRoot}/bin`, `${root}/bin`, {recursive: true});
  for (const part of ['install.mjs', 'finish.mjs', 'starters.mjs', 'code-cache.mjs']) {
    cpSync(`${repository}/native/${part}`, `${root}/native/${part}`);
  }
  cpSync(`${packageRoot}/native/build/Release`, `${root}/${prebuilt}`, {recursive: true});
  cpSync(`${repository}/node_modules/node-gyp-build`, `${root}/node_modules/node-gyp-build`, {
    recursive: true,
  });
  const install = (): string =>
    spawnSync(process.execPath, ['native/install.mjs'], {
      cwd: root,
      env: {PATH: '/nonexistent', HOME: root},
      encoding: 'utf8',
    }).stderr;
  assert.equal(install(), '');
  // Without a compiler the attempt to build is a message.
  cpSync(`${root}/${prebuilt}`, `${root}/native/build/Release`, {recursive: true});
  writeFileSync(`${root}/native/build/sources.sha256`, 'of older sources');
  assert.match(install(), /the native part could not be built/);
});

test('no script of package.json is run before or after another one by its name', () => {
  const {scripts} = JSON.parse(readFileSync(`${repository}/package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = Object.keys(scripts);
  assert.deepEqual(
    names.filter((name) => names.includes(name.replace(/^(?:pre|post)/, '')) && /^(?:pre|post)/.test(name)),
    [],
  );
});
