import {test} from 'node:test';
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {findRepositoryTop} from '../../../../src/config/read/start-folder.ts';
import {readSmallFile} from '../../../../src/system/small-file.ts';
import type {ConfigRequest} from '../../../../src/config/read/resolve.ts';
import {inScene, isRoot, makeGitFolder, messageOf, type Scene, withLines} from '../scene.ts';

test('resolve: without any file the defaults apply', () =>
  inScene(async ({resolve, work, home}) => {
    const {settings, ignored, layers, workspace, trust} = await resolve();
    assert.deepEqual(settings.mode, {value: 'write', origin: {layer: 'default'}});
    assert.deepEqual(settings.network, {value: 'none', origin: {layer: 'default'}});
    assert.ok(settings.deniedPaths.some(({value}) => value === `${home}/.ssh`));
    assert.deepEqual(ignored, []);
    assert.equal(workspace, work);
    assert.equal(trust.state, 'untrusted');
    assert.deepEqual(
      layers.map(({origin, present}) => [origin.layer, origin.file, present]),
      [
        ['project-local', '.ion/config.local.toml', false],
        ['project', '.ion/config.toml', false],
        ['user', '~/.ion/config.toml', false],
      ],
    );
  }));

test('resolve: layers in their order, each value with file and line', () =>
  inScene(async ({resolve, write, work, home}) => {
    write('.ion/config.toml', 'permissions.deny_commands = ["top"]');
    write('a/b/.ion/config.local.toml', '\npermissions.deny_commands = ["near local"]');
    write('a/b/.ion/config.toml', 'permissions.deny_commands = ["near"]');
    write(`${home}/.ion/config.toml`, 'permissions.deny_commands = ["user"]\nsandbox.network = "full"');
    write('ci.toml', 'permissions.deny_commands = ["ci"]');
    const {settings} = await resolve({
      cwd: path.join(work, 'a/b'),
      configFile: '../../ci.toml',
      flags: {read: true},
    });
    assert.deepEqual(
      settings.denyCommands.map(({value, origin}) => [value, origin.layer, origin.file, origin.line]),
      [
        ['ci', 'config-flag', '../../ci.toml', 1],
        ['near local', 'project-local', '.ion/config.local.toml', 2],
        ['near', 'project', '.ion/config.toml', 1],
        ['top', 'project', '../../.ion/config.toml', 1],
        ['user', 'user', '~/.ion/config.toml', 1],
      ],
    );
    assert.deepEqual(settings.mode, {value: 'read', origin: {layer: 'flag'}});
    assert.deepEqual(withLines(settings.network), {
      value: 'full',
      origin: {layer: 'user', file: '~/.ion/config.toml', line: 2},
    });
  }));

test('resolve: flags', () =>
  inScene(async ({resolve}) => {
    const {settings} = await resolve({flags: {noSandbox: true, timeoutMs: 5}});
    assert.deepEqual(settings.sandbox, {value: false, origin: {layer: 'flag'}});
    assert.deepEqual(settings.limits.timeoutMs, {value: 5, origin: {layer: 'flag'}});
    assert.equal(settings.mode.value, 'write');
  }));

test('resolve: a project may only tighten, and other settings are listed as ignored', () =>
  inScene(async ({resolve, write}) => {
    write(
      '.ion/config.toml',
      '[permissions]\nmode = "read"\nsandbox = false\n[sandbox]\nwrite_roots = ["/"]',
    );
    const {settings, ignored, layers} = await resolve();
    assert.equal(settings.mode.value, 'read');
    assert.equal(settings.sandbox.value, true);
    assert.deepEqual(settings.writeRoots, []);
    assert.deepEqual(
      ignored.map(({key, value, origin, why}) => `${key} = ${value} (${origin.file}:${origin.line}): ${why}`),
      [
        'permissions.sandbox = false (.ion/config.toml:3): this workspace is not trusted',
        'sandbox.write_roots = ["/"] (.ion/config.toml:5): this workspace is not trusted',
      ],
    );
    assert.deepEqual(layers.find(({present}) => present)?.trusted, false);
  }));

test('resolve: without a repository only the folder itself is the project', () =>
  inScene(async ({resolve, write, work}) => {
    rmSync(path.join(work, '.git'), {recursive: true});
    write('.ion/config.toml', 'permissions.mode = "read"');
    mkdirSync(path.join(work, 'sub'));
    assert.equal((await resolve({cwd: path.join(work, 'sub')})).settings.mode.value, 'write');
    assert.equal((await resolve()).settings.mode.value, 'read');
  }));

test("resolve: the home folder's own .ion is not a project's, also below a repository and through a symlink", () =>
  inScene(async ({resolve, write, home, work}) => {
    makeGitFolder(path.join(home, '.git'));
    mkdirSync(path.join(home, 'x'));
    write(`${home}/.ion/config.toml`, 'permissions.sandbox = false');
    write(`${home}/.ion/config.local.toml`, 'permissions.mode = "read"');
    const link = path.join(work, 'link');
    symlinkSync(home, link);
    for (const [cwd, as] of [
      [home, home],
      [path.join(home, 'x'), home],
      [home, link],
    ] as const) {
      const {settings, layers, ignored} = await resolve({cwd, home: as});
      assert.equal(settings.sandbox.value, false);
      assert.equal(settings.mode.value, 'write');
      assert.deepEqual(ignored, []);
      assert.deepEqual(
        layers.filter(({present}) => present).map(({origin}) => origin.layer),
        ['user'],
      );
    }
  }));

test('resolve: a project file that --config names is trusted by the caller', () =>
  inScene(async ({resolve, write}) => {
    write('.ion/config.toml', 'permissions.sandbox = false');
    const {settings, ignored} = await resolve({configFile: '.ion/config.toml'});
    assert.deepEqual([settings.sandbox.value, settings.sandbox.origin.layer], [false, 'config-flag']);
    assert.deepEqual(ignored, []);
  }));

test('resolve: no HOME, an empty one, and one without .ion are not errors', () =>
  inScene(async ({resolve}) => {
    for (const home of [undefined, '', '/nowhere/at/all'])
      assert.equal((await resolve({home})).settings.mode.value, 'write');
  }));

const places = ['.ion/config.toml', '.ion/config.local.toml', 'HOME', '--config'] as const;

/** Obstacles in the place of a config file. `{}` is the file as the message shows it. */
const badFiles: {name: string; make: (file: string) => void; want: string; skip?: boolean}[] = [
  {name: 'a folder', make: (file) => mkdirSync(file), want: 'ion: "{}" is a folder, not a regular file\n'},
  {
    name: 'a FIFO',
    make: (file) => execFileSync('mkfifo', [file]),
    want: 'ion: "{}" is a FIFO, not a regular file\n',
  },
  {
    name: 'a socket',
    make: (file) =>
      execFileSync(
        process.execPath,
        [
          '-e',
          `require('net').createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'))`,
        ],
        {stdio: 'ignore'},
      ),
    want: 'ion: "{}" is a socket, not a regular file\n',
  },
  {
    name: '100 MB',
    make(file) {
      writeFileSync(file, '');
      truncateSync(file, 100_000_000);
    },
    want: 'ion: "{}" is larger than 1048576 bytes\n',
  },
  {
    name: 'a symlink to itself',
    make: (file) => symlinkSync(path.basename(file), file),
    want: 'ion: "{}" is a symlink loop\n',
  },
  {
    name: 'a symlink to nothing',
    make: (file) => symlinkSync('nothing', file),
    want: 'ion: "{}" is a symlink that leads nowhere\n',
  },
  {
    name: 'bytes that are not text',
    make: (file) => writeFileSync(file, Buffer.from([0x61, 0xff])),
    want: 'ion: "{}" is not valid UTF-8\n',
  },
  {
    name: 'bad TOML',
    make: (file) => writeFileSync(file, '\n= 1'),
    want: 'ion: bad TOML: unexpected end of key\n --> {}:2\n',
  },
  {
    name: 'NUL bytes',
    make: (file) => writeFileSync(file, 'a = "\0"'),
    want: 'ion: bad TOML: control characters are not allowed in strings\n --> {}:1\n',
  },
  {
    name: 'a file without permissions',
    make: (file) => writeFileSync(file, '', {mode: 0}),
    want: 'ion: "{}" cannot be read: permission denied\nhelp: ion does not skip it: make it and its folders readable for this user; "ls -l" shows the owners\n',
    skip: isRoot,
  },
];
for (const {name, make, want, skip = false} of badFiles) {
  for (const place of places) {
    test(`resolve: ${name} as ${place}`, {timeout: 5000, skip: skip && 'root may read everything'}, () =>
      inScene(async ({resolve, home, work}) => {
        const shown = {HOME: '~/.ion/config.toml', '--config': 'ci.toml'}[place as string] ?? place;
        const file = place === 'HOME' ? path.join(home, '.ion/config.toml') : path.join(work, shown);
        mkdirSync(path.dirname(file), {recursive: true});
        try {
          make(file);
        } catch (error) {
          // The server that leaves a socket behind kills itself.
          if (name !== 'a socket') throw error;
        }
        const message = await messageOf(resolve(place === '--config' ? {configFile: 'ci.toml'} : {}));
        assert.equal(message, want.replaceAll('{}', shown));
      }),
    );
  }
}

test('readSmallFile: the size is counted, not taken from stat', () => {
  const file = {path: '/proc/self/status', shown: 'status', maxBytes: 10};
  assert.throws(() => readSmallFile(file), {message: '"status" is larger than 10 bytes'});
});

test('resolve: an empty file sets nothing', () =>
  inScene(async ({resolve, write}) => {
    write('.ion/config.toml', '');
    assert.equal((await resolve()).settings.mode.value, 'write');
  }));

test('resolve: a byte order mark and CRLF are understood', () =>
  inScene(async ({resolve, write}) => {
    write('.ion/config.toml', '\ufeff\r\n[permissions]\r\nmode = "read"\r\n');
    assert.equal((await resolve()).settings.mode.origin.line, 3);
  }));

const badRequests: {name: string; changes: Partial<ConfigRequest>; want: string}[] = [
  {
    name: '--config that does not exist',
    changes: {configFile: 'none.toml'},
    want: 'ion: "none.toml" does not exist\nhelp: a --config must exist: check its path\n',
  },
  {name: 'an empty --config', changes: {configFile: ''}, want: 'ion: --config needs a file name\n'},
  {
    name: 'a NUL in --config',
    changes: {configFile: 'a\0b'},
    want: 'ion: "a\\u{0}b" has a NUL byte in its name\n',
  },
  {
    name: '--config through a file',
    changes: {configFile: '.git/HEAD/x'},
    want: 'ion: ".git/HEAD/x" cannot be read: a part of its path is not a folder\n',
  },
  {
    name: 'a name that is too long',
    changes: {configFile: 'x'.repeat(300)},
    want: `ion: "${'x'.repeat(200)}…" cannot be read: its path is too long\n`,
  },
  {
    name: 'a device',
    changes: {configFile: '/dev/zero'},
    want: 'ion: "/dev/zero" is a device, not a regular file\n',
  },
  {
    name: 'a folder that was deleted',
    changes: {cwd: '/nowhere/x'},
    want: 'ion: the current folder "/nowhere/x" does not exist\nhelp: cd to a folder that exists\n',
  },
];
for (const {name, changes, want} of badRequests) {
  test(`resolve: ${name}`, {timeout: 120_000}, () =>
    inScene(async ({resolve, write}) => {
      write('.git/HEAD', '');
      assert.equal(await messageOf(resolve(changes)), want);
    }),
  );
}

const leads =
  'is a symlink that leads out of its project\nhelp: ion reads config only from inside the project\n';
const symlinks: {name: string; make: (scene: Scene) => void; want: string}[] = [
  {
    name: 'a file that leads out',
    make({work, write}) {
      write('../outside.toml', 'permissions.mode = "read"');
      mkdirSync(path.join(work, '.ion'));
      symlinkSync('../../outside.toml', path.join(work, '.ion/config.toml'));
    },
    want: `ion: ".ion/config.toml" ${leads}`,
  },
  {
    name: 'a folder that leads out',
    make({work, write}) {
      write('../elsewhere/config.toml', 'permissions.mode = "read"');
      symlinkSync('../elsewhere', path.join(work, '.ion'));
    },
    want: `ion: ".ion/config.toml" ${leads}`,
  },
  {
    name: 'a folder whose name begins like the project',
    make({work, write}) {
      write('../work-2/config.toml', 'permissions.mode = "read"');
      symlinkSync('../work-2', path.join(work, '.ion'));
    },
    want: `ion: ".ion/config.toml" ${leads}`,
  },
  {
    name: 'a device',
    make({work}) {
      mkdirSync(path.join(work, '.ion'));
      symlinkSync('/dev/zero', path.join(work, '.ion/config.toml'));
    },
    want: `ion: ".ion/config.toml" ${leads}`,
  },
  {
    name: 'a file inside the project',
    make({work, write}) {
      write('shared/ion.toml', 'permissions.mode = "read"');
      mkdirSync(path.join(work, '.ion'));
      symlinkSync('../shared/ion.toml', path.join(work, '.ion/config.toml'));
    },
    want: 'no error',
  },
  {
    name: 'a file instead of the folder',
    make: ({write}) => write('.ion', ''),
    want: 'ion: ".ion/config.local.toml" cannot be read: a part of its path is not a folder\n',
  },
];
for (const {name, make, want} of symlinks) {
  test(`resolve: .ion is ${name}`, {timeout: 120_000}, () =>
    inScene(async (scene) => {
      make(scene);
      assert.equal(await messageOf(scene.resolve()), want);
    }),
  );
}

test("resolve: the user's own files may be symlinks, as dotfile managers make them", () =>
  inScene(async ({resolve, write, home}) => {
    write('../dotfiles/config.toml', 'permissions.mode = "read"');
    symlinkSync('../dotfiles', path.join(home, '.ion'));
    assert.equal((await resolve()).settings.mode.value, 'read');
  }));

test('resolve: a hard link to the user file is not read a second time', () =>
  inScene(async ({resolve, write, home, work}) => {
    write(`${home}/.ion/config.toml`, 'permissions.deny_commands = ["x"]');
    mkdirSync(path.join(work, '.ion'));
    linkSync(path.join(home, '.ion/config.toml'), path.join(work, '.ion/config.toml'));
    assert.equal((await resolve()).settings.denyCommands.length, 1);
  }));

for (const what of ['.ion/config.toml', '.ion']) {
  test(
    `resolve: ~/${what} of another user can only tighten`,
    {skip: !isRoot && 'only root can give files away'},
    () =>
      inScene(async ({resolve, write, home}) => {
        write(`${home}/.ion/config.toml`, 'permissions.sandbox = false\npermissions.mode = "read"');
        chownSync(path.join(home, what), 12_345, 12_345);
        const {settings, ignored} = await resolve();
        assert.deepEqual([settings.sandbox.value, settings.mode.value], [true, 'read']);
        assert.deepEqual(
          ignored.map(({why}) => why),
          ['it belongs to uid 12345, not to you'],
        );
      }),
  );
}

test('resolve: a user file that everyone may write can only tighten', () =>
  inScene(async ({resolve, write, home}) => {
    write(`${home}/.ion/config.toml`, 'permissions.sandbox = false');
    chmodSync(path.join(home, '.ion/config.toml'), 0o666);
    const {settings, ignored} = await resolve();
    assert.equal(settings.sandbox.value, true);
    assert.deepEqual(
      ignored.map(({why}) => why),
      ['every user can write it'],
    );
  }));

test('resolve: a frame that does not exist is an error, at the line that names it', () =>
  inScene(async ({resolve, write, home}) => {
    write(`${home}/.ion/config.toml`, '[permissions]\nframe = "web"\n[frames]\napi = "~/api"');
    const want =
      'ion: permissions.frame does not name a frame: "web"\n --> ~/.ion/config.toml:2\nhelp: frames: "api"\n';
    assert.equal(await messageOf(resolve()), want);
  }));

/** What a command may create in `sub`. git itself, in `sub/a`, shows which folder it uses. */
const dotGits: Record<string, (dotGit: string) => void> = {
  'a repository': makeGitFolder,
  'a plain folder': (dotGit) => mkdirSync(dotGit),
  'a HEAD alone': (dotGit) => (
    mkdirSync(dotGit),
    writeFileSync(path.join(dotGit, 'HEAD'), 'ref: refs/heads/x\n')
  ),
  'a HEAD that names nothing': (dotGit) => (
    makeGitFolder(dotGit),
    writeFileSync(path.join(dotGit, 'HEAD'), 'x\n')
  ),
  'a commit as HEAD': (dotGit) => (
    makeGitFolder(dotGit),
    writeFileSync(path.join(dotGit, 'HEAD'), `${'1'.repeat(40)}\n`)
  ),
  'no refs': (dotGit) => (makeGitFolder(dotGit), rmSync(path.join(dotGit, 'refs'), {recursive: true})),
  'a file for objects': (dotGit) => {
    makeGitFolder(dotGit);
    rmSync(path.join(dotGit, 'objects'), {recursive: true});
    writeFileSync(path.join(dotGit, 'objects'), '');
  },
  'a linked worktree': (dotGit) => {
    const own = path.join(path.dirname(dotGit), '../.git/worktrees/sub');
    mkdirSync(own, {recursive: true});
    writeFileSync(path.join(own, 'HEAD'), 'ref: refs/heads/x\n');
    writeFileSync(path.join(own, 'commondir'), '../..\n');
    writeFileSync(path.join(own, 'gitdir'), `${dotGit}\n`);
    writeFileSync(dotGit, `gitdir: ${own}\n`);
  },
  'a link to a repository': (dotGit) => symlinkSync('../.git', dotGit),
  'a link to nothing': (dotGit) => symlinkSync('nowhere', dotGit),
};
for (const [name, make] of Object.entries(dotGits)) {
  test(`findRepositoryTop: agrees with git: ${name}`, () =>
    inScene(({work}) => {
      mkdirSync(path.join(work, 'sub/a'), {recursive: true});
      make(path.join(work, 'sub/.git'));
      const cwd = path.join(work, 'sub/a');
      const {stdout} = spawnSync('git', ['rev-parse', '--show-toplevel'], {cwd, encoding: 'utf8'});
      assert.equal(findRepositoryTop(cwd), stdout.trimEnd());
    }));
}

test('findRepositoryTop: a dangling .git file, which stops git, does not stop the search', () =>
  inScene(({work}) => {
    mkdirSync(path.join(work, 'sub'));
    writeFileSync(path.join(work, 'sub/.git'), 'gitdir: nowhere\n');
    assert.equal(findRepositoryTop(path.join(work, 'sub')), work);
  }));

test('findRepositoryTop: none', () =>
  inScene(({work}) => {
    rmSync(path.join(work, '.git'), {recursive: true});
    assert.equal(findRepositoryTop(work), undefined);
  }));

test("resolve: a plain .git folder that a command creates does not hide the project's restrictions", () =>
  inScene(async ({resolve, write, work}) => {
    write('.ion/config.toml', 'permissions.mode = "read"');
    mkdirSync(path.join(work, 'sub/.git'), {recursive: true});
    const {settings, workspace} = await resolve({cwd: path.join(work, 'sub')});
    assert.deepEqual([settings.mode.value, workspace], ['read', work]);
  }));
