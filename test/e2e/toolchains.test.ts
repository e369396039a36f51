import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testCases} from '../harness/cases.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

const poison = 'mkdir -p "$(npm config get cache)" && echo evil > "$(npm config get cache)/poison"';

/** A second workspace beside the first. */
function neighbour({home}: Scratch, as: Identity): string {
  const folder = path.join(home, 'other');
  mkdirSync(folder);
  giveTo(folder, as);
  return folder;
}

async function outside(scratch: Scratch, as: Identity, command: string): Promise<string> {
  return (await runProgram(scratch, ['bash', '-c', command], {as})).stdout;
}

for (const as of testers) {
  test(`toolchains: a poisoned cache stays in its workspace (${as.name})`, async (t) => {
    if (!requireProgram(t, 'npm')) return;
    const files = {'package.json': '{"name":"a"}'};
    const scratch = makeScratch(t, as, files);
    const unsandboxed = makeScratch(t, as, files);
    await outside(unsandboxed, as, poison);
    assert.ok(existsSync(path.join(unsandboxed.home, '.npm/poison')), 'the attack works without ion');

    const first = await runIon(scratch, ['run', `${poison}; echo "$npm_config_cache"`], {as});
    assert.deepEqual([first.code, first.stderr], [0, '']);
    const cache = first.stdout.trim();
    assert.equal(readFileSync(path.join(cache, 'poison'), 'utf8'), 'evil\n');
    assert.ok(!existsSync(path.join(scratch.home, '.npm')));
    assert.equal(
      (await outside(scratch, as, 'npm config get cache')).trim(),
      path.join(scratch.home, '.npm'),
    );

    const again = await runIon(scratch, ['run', 'cat "$(npm config get cache)/poison"'], {as});
    assert.equal(again.stdout, 'evil\n', 'the next run in the workspace sees it');

    const other = neighbour(scratch, as);
    for (const attack of [
      `cat '${cache}/poison'`,
      `ls '${path.dirname(cache)}'`,
      `ls '${path.dirname(path.dirname(cache))}'`,
      `echo more >> '${cache}/poison'`,
      `rm '${cache}/poison'`,
      `mv '${path.dirname(cache)}' x`,
    ]) {
      const {code} = await runIon(scratch, ['run', attack], {as, cwd: other});
      assert.notEqual(code, 0, attack);
    }
    assert.equal(readFileSync(path.join(cache, 'poison'), 'utf8'), 'evil\n');
  });

  test(`toolchains: the folder of the caches cannot be replaced by a symlink (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'package.json': '{}', '~/precious/config': 'x\n'});
    const folder = '"$(dirname "$npm_config_cache")"';
    const {stdout} = await runIon(
      scratch,
      [
        'run',
        `chmod 777 ${folder}; rm -rf ${folder}; mv ${folder} x; ln -sfn ~/precious ${folder}; echo ${folder}`,
      ],
      {as},
    );
    const {code, stderr} = await runIon(scratch, ['run', 'echo x > "$npm_config_cache"'], {as});
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(statSync(stdout.trim()).isDirectory());
    assert.equal(statSync(stdout.trim()).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(path.join(scratch.home, 'precious')), ['config']);
  });
}

const marked = {'package.json': '{"name":"a","version":"1.0.0","scripts":{"test":"node -p 6*7"}}'};

testCases('toolchains', [
  {
    name: 'npm: a script causes no report, and leaves nothing in home',
    files: marked,
    args: ['run', 'npm test --silent'],
    stdout: '42\n',
    needs: ['npm'],
    timeoutMs: 60_000,
    after: ({home}) => assert.ok(!existsSync(path.join(home, '.npm'))),
  },
  {
    name: 'npm: installs a package of the workspace',
    isSlow: true,
    files: {
      'package.json': '{"name":"a","version":"1.0.0","dependencies":{"dep":"file:dep-1.0.0.tgz"}}',
      'dep/package.json': '{"name":"dep","version":"1.0.0","main":"x.js"}',
      'dep/x.js': 'module.exports = "dep";\n',
    },
    args: [
      'run',
      'npm pack --silent ./dep && npm install --silent --no-audit --no-fund && npm ci --silent --no-audit --no-fund && node -p "require(\'dep\')"',
    ],
    stdout: 'dep-1.0.0.tgz\ndep\n',
    needs: ['npm'],
    timeoutMs: 120_000,
  },
  {
    name: 'npm: an install without the network does not ask about packages, so nothing is refused; npm audit does',
    isSlow: true,
    files: {
      'package.json': '{"name":"a","version":"1.0.0","dependencies":{"dep":"file:dep-1.0.0.tgz"}}',
      'dep/package.json': '{"name":"dep","version":"1.0.0"}',
    },
    args: [
      'run',
      'npm pack --silent ./dep && npm install > log 2>&1 && rm -r node_modules && npm ci > log 2>&1 && npm update > log 2>&1 && ! npm audit > audit 2>&1 && grep -c "audit endpoint" audit',
    ],
    stdout: 'dep-1.0.0.tgz\n1\n',
    // A machine without a name server has no address to refuse.
    stderr: /^(?:ion: blocked: node [^\n]*\nhelp: [^\n]*\n)?$/,
    needs: ['npm'],
    timeoutMs: 120_000,
  },
  {
    name: 'python: packages that pip --user has installed, also without ~/.local/bin',
    files: {'~/.local/lib/python3.9/site-packages/x.py': ''},
    args: [
      'run',
      `python3 -c "import os; print(os.listdir(os.path.expanduser('~/.local/lib/python3.9/site-packages')))"`,
    ],
    stdout: "['x.py']\n",
    needs: ['python3'],
  },
  {
    name: 'rust: a rustup in another folder, given by RUSTUP_HOME',
    files: {
      'Cargo.toml': '',
      '/rustup/toolchains/x/bin/cargo': {text: '#!/bin/sh\necho real\n', mode: 0o755},
      '/cargo/bin/cargo': {text: '#!/bin/sh\nexec "$RUSTUP_HOME/toolchains/x/bin/cargo"\n', mode: 0o755},
    },
    env: {
      PATH: '{root}/cargo/bin:/usr/bin:/bin',
      RUSTUP_HOME: '{root}/rustup',
      CARGO_HOME: '{root}/cargo',
    },
    args: ['run', 'cargo build'],
    stdout: 'real\n',
  },
  {
    name: 'pip: installs a wheel into an environment',
    isSlow: true,
    files: {
      'wheel.py': `import zipfile
wheel = zipfile.ZipFile('tiny-0.1-py3-none-any.whl', 'w')
info = 'tiny-0.1.dist-info/'
wheel.writestr('tiny.py', 'x = 42\\n')
wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 0.1\\n')
wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
wheel.writestr(info + 'RECORD', 'tiny.py,,\\n' + info + 'METADATA,,\\n' + info + 'WHEEL,,\\n' + info + 'RECORD,,\\n')
wheel.close()
`,
    },
    env: {PATH: '/usr/local/bin:/usr/bin:/bin'},
    args: [
      'run',
      "python3 wheel.py && python3 -m venv v && v/bin/pip install -q --no-index --find-links . tiny && v/bin/python -c 'import tiny; print(tiny.x)'",
    ],
    stdout: '42\n',
    needs: ['python3', 'python3:ensurepip'],
    only: 'user',
    timeoutMs: 120_000,
  },
  {
    name: 'go: builds and tests',
    isSlow: true,
    files: {
      'go.mod': 'module a\n\ngo 1.19\n',
      'main.go': 'package main\n\nfunc main() { println("out") }\n',
      'a_test.go': 'package main\n\nimport "testing"\n\nfunc TestX(t *testing.T) {}\n',
    },
    args: ['run', 'go build -o x . && go test ./... | cut -c1-4 && go vet ./...'],
    stdout: 'ok  \n',
    needs: ['go'],
    timeoutMs: 300_000,
  },
  {
    name: 'ccache: keeps objects outside home',
    files: {'main.c': 'int main(void) { return 42; }\n'},
    args: ['run', 'ccache gcc -o x main.c; ./x; echo $?; ls "$CCACHE_DIR" | head -n 1 | wc -l'],
    stdout: '42\n1\n',
    needs: ['ccache', 'gcc'],
    after: ({home}) => assert.deepEqual(readdirSync(path.join(home, '.cache')), ['ion']),
  },
  {
    name: 'credentials are not readable',
    files: {
      ...marked,
      'Cargo.toml': '',
      'pom.xml': '',
      'requirements.txt': '',
      '~/.npmrc': 'secret',
      '~/.cargo/credentials.toml': 'secret',
      '~/.cargo/registry/x': 'x',
      '~/.m2/settings.xml': 'secret',
      '~/.m2/repository/x': 'x',
      '~/.pypirc': 'secret',
      '~/.gradle/gradle.properties': 'secret',
    },
    args: [
      'run',
      'cat ~/.npmrc ~/.cargo/credentials.toml ~/.m2/settings.xml ~/.pypirc ~/.gradle/gradle.properties; ls ~/.cargo ~/.m2; cat ~/.cargo/registry/x ~/.m2/repository/x',
    ],
    stdout: 'xx',
    stderr: /^(?:(?:cat|ls): .*(?:Permission denied|denied)\n){7}$/,
  },
  {
    name: 'a report names the file in home at which Yarn stops',
    files: {yarn: '#!/bin/sh\nexit 1\n', '~/.npmrc': 'secret', '~/.yarnrc': 'x'},
    args: ['run', 'chmod +x yarn && ./yarn install'],
    code: 1,
    stderr:
      /^ion: yarn may have stopped at "~\/\.npmrc" and "~\/\.yarnrc"[^\n]*\nhelp: [^\n]*read_roots[^\n]*\n$/,
  },
  {
    name: 'Yarn 2 and later reads another file, and none of the listed ones stops it',
    files: {
      yarn: '#!/bin/sh\nexit 1\n',
      '.yarnrc.yml': '',
      '~/.npmrc': 'secret',
      '~/.yarnrc.yml': '',
      '~/.ion/config.toml': '[sandbox]\nread_roots = ["~/.yarnrc.yml"]\n',
    },
    args: ['run', 'chmod +x yarn && ./yarn install'],
    code: 1,
    stderr: '',
  },
  {
    name: 'a refusal that a preset expects is refused and recorded, but not reported',
    files: {'Cargo.toml': '', '~/.cargo/registry/x': 'x'},
    args: ['run', '--json', 'echo x > ~/.cargo/.package-cache; echo y > ~/.cargo/registry/x'],
    code: 1,
    stderr: /^(?!.*blocked: .*package-cache)[^]*blocked: .*registry\/x[^]*\.package-cache/m,
    after: ({home}, {stderr}) => {
      const {violations} = JSON.parse(stderr.trim().split('\n').at(-1)!) as {violations: {path: string}[]};
      assert.ok(violations.some((one) => one.path === path.join(home, '.cargo/.package-cache')));
      assert.ok(!existsSync(path.join(home, '.cargo/.package-cache')));
    },
  },
  {
    name: 'a cache of the user in the workspace is kept',
    files: marked,
    env: {NPM_CONFIG_CACHE: '{work}/c'},
    args: ['run', 'echo "$NPM_CONFIG_CACHE $npm_config_cache"'],
    stdout: '{work}/c \n',
  },
  {
    name: 'a cache elsewhere is replaced, in every spelling of the variable',
    files: marked,
    env: {NPM_CONFIG_CACHE: '{home}/c'},
    args: ['run', 'echo "$NPM_CONFIG_CACHE ${npm_config_cache##*/}"'],
    stdout: ' npm\n',
  },
  {
    name: 'environment.set overrides a preset',
    files: {...marked, '~/.ion/config.toml': '[environment]\nset = {npm_config_cache = "/x"}\n'},
    args: ['run', 'echo "$npm_config_cache"'],
    stdout: '/x\n',
  },
  {
    name: 'off: no variables, no folder',
    files: {...marked, '~/.ion/config.toml': '[sandbox]\ntoolchains = []\n'},
    args: ['run', 'echo "[$npm_config_cache]"'],
    stdout: '[]\n',
    after: ({home}) => assert.ok(!existsSync(path.join(home, '.cache'))),
  },
  {
    name: 'an unknown preset',
    files: {'~/.ion/config.toml': '[sandbox]\ntoolchains = ["nod"]\n'},
    args: ['run', 'true'],
    code: 125,
    stderr:
      /^ion: sandbox\.toolchains names an unknown toolchain: "nod"\n --> ~\/\.ion\/config\.toml:2\nhelp: toolchains: bun, .*node.*\n$/,
  },
  {
    name: 'ion check makes no folder',
    files: marked,
    args: ['check', 'true'],
    stdout: /^ion: allowed/,
    after: ({home}) => assert.ok(!existsSync(path.join(home, '.cache'))),
  },
  {
    name: 'read mode makes no folder either',
    files: marked,
    args: ['run', '--read', 'ls'],
    stdout: 'package.json\n',
    after: ({home}) => assert.ok(!existsSync(path.join(home, '.cache'))),
  },
  {
    name: 'ion config shows which presets apply, and why',
    files: {...marked, '~/.ion/config.toml': '[sandbox]\ntoolchains = ["node"]\n'},
    args: ['config', '--all'],
    stdout:
      /# toolchains here, with caches in \S+\/home\/\.cache\/ion\/\S+:\n#   node: named in sandbox\.toolchains\n#     npm_config_cache = "\S+\/npm" {2}\(npx runs [^]*# {5}never ~\/\.npmrc {2}\(registry tokens\)\n/,
    after: ({home}) => assert.ok(!existsSync(path.join(home, '.cache'))),
  },
  {
    name: "ion config does not show the user's own options",
    files: {'~/.ion/config.toml': '[sandbox]\ntoolchains = ["java"]\n'},
    env: {MAVEN_OPTS: '-Dpassword=hush'},
    args: ['config', '--all'],
    stdout: /^(?![^]*hush)[^]*# {5}MAVEN_OPTS = \(your own\) "-Duser\.home=/,
  },
  {
    name: 'the command still gets them',
    files: {'~/.ion/config.toml': '[sandbox]\ntoolchains = ["java"]\n'},
    env: {MAVEN_OPTS: '-Dpassword=hush'},
    args: ['run', 'echo "${MAVEN_OPTS%%ser.home*}"'],
    stdout: '-Dpassword=hush -Du\n',
  },
  {
    name: 'a symlink of the config in the place of the caches: no caches',
    files: {...marked, '~/.ion/config.toml': '[sandbox]\nwrite_roots = ["~/link"]\n', '~/.cache/x': ''},
    before: ({home}) => symlinkSync('.cache', path.join(home, 'link')),
    args: ['run', 'echo "[$npm_config_cache]"'],
    stdout: '[]\n',
  },
  {
    name: 'the facts of a run name the presets',
    files: {...marked, '~/.ion/config.toml': '[sandbox]\ntoolchains = ["deno"]\n'},
    args: ['run', '--json', 'true'],
    stderr:
      /"toolchains":\[\{"name":"deno","because":"named in sandbox\.toolchains","variables":\["DENO_DIR","DENO_NO_UPDATE_CHECK"\]\}\]/,
  },
]);
