import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {git, makeRepository} from '../harness/git.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files, type Scratch} from '../harness/scratch.ts';

interface Row {
  readonly name: string;
  readonly command: string;
  readonly files?: Files;
  readonly needs?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: (scratch: Scratch, as: Identity) => void;
  /** A text that no run prints once the setting is in force. */
  readonly gone: RegExp;
  /** The command ends with 0 once the setting holds. */
  readonly succeeds?: true;
}

/** Messages with a setting in their help: each form of it works when pasted. */
const rows: readonly Row[] = [
  {
    name: 'a write below the top of a repository',
    command: 'echo x > ../top',
    files: {'lib/': ''},
    cwd: 'lib',
    before: makeRepository,
    gone: /blocked/,
  },
  {
    name: 'a write beside the workspace',
    command: 'echo x > ../../beside/f',
    files: {'/beside/': ''},
    gone: /blocked/,
  },
  {name: 'a name with quotes', command: `echo x > "../../it's/f"`, files: {"/it's/": ''}, gone: /blocked/},
  {
    name: 'a read beside the workspace',
    command: 'cat ../../beside/f',
    files: {'/beside/f': 'x'},
    gone: /outside the read roots/,
  },
  {
    name: 'a folder that does not exist yet',
    command: 'mkdir -p ../../made && echo x > ../../made/f',
    gone: /blocked/,
  },
  {
    name: 'a time limit',
    files: {'~/.ion/config.toml': 'sandbox.limits.timeout = "2s"\n'},
    command: 'sleep 2.5',
    gone: /timed out/,
    succeeds: true,
  },
  {
    name: 'a limit of size',
    files: {'~/.ion/config.toml': 'sandbox.limits.file_size = "1K"\n'},
    command: 'head -c 1500 /dev/zero > f',
    gone: /limit of file_size/,
    succeeds: true,
  },
  {
    name: 'a limit of processes',
    files: {'~/.ion/config.toml': 'sandbox.limits.processes = 5\n'},
    command: 'for i in 1 2 3 4 5 6; do sleep 1 & done; wait',
    gone: /limit of processes/,
    succeeds: true,
  },
  {
    name: 'a limit of open files',
    files: {
      '~/.ion/config.toml': 'sandbox.limits.open_files = 64\n',
      'open.py':
        'import os, time\ntry:\n  for i in range(100): os.open("/dev/null", 0)\nexcept OSError: time.sleep(0.5)\n',
    },
    needs: ['python3'],
    command: 'python3 open.py',
    gone: /limit of open_files/,
    succeeds: true,
  },
  {
    name: 'a limit of memory',
    files: {'~/.ion/config.toml': 'sandbox.limits.memory = "96M"\n'},
    command: 'head -c 120M /dev/zero | tail -c 120M | tail -c 1 > f',
    gone: /limit of memory/,
    succeeds: true,
  },
  {
    name: 'a limit of processor time',
    files: {'~/.ion/config.toml': 'sandbox.limits.cpu = "1s"\n'},
    needs: ['python3'],
    command: `python3 -c "import time
while time.process_time() < 1.2: pass"`,
    gone: /limit of cpu/,
    succeeds: true,
  },
  {name: 'a protected file', command: 'echo x > .envrc', gone: /blocked/},
  {
    name: 'the config of the repository',
    command: 'git config core.fsmonitor x',
    before: makeRepository,
    gone: /reverted/,
  },
  {
    name: 'a push to a folder',
    command: 'git push -q origin HEAD',
    before: addRemote,
    needs: ['git'],
    gone: /outside|blocked/,
    succeeds: true,
  },
  {
    name: 'a push to a folder that can be read',
    command: 'git push -q origin HEAD',
    files: {'~/.ion/config.toml': 'sandbox.read_roots = ["{work}/../remote.git"]\n'},
    before: addRemote,
    needs: ['git'],
    gone: /outside|blocked/,
    succeeds: true,
  },
  {name: 'a hook', command: 'echo x > .git/hooks/post-commit', before: makeRepository, gone: /blocked/},
  {
    name: 'a server on the loopback',
    command: 'exec 3<>/dev/tcp/127.0.0.1/1; true',
    gone: /network is closed/,
  },
  {name: 'a TMPDIR', command: 'true', env: {TMPDIR: '{home}/tmp'}, files: {'~/tmp/': ''}, gone: /TMPDIR/},
  {name: 'a removed variable', command: 'test -n "$MY_TOKEN"', env: {MY_TOKEN: 'x'}, gone: /does not get/},
  {
    name: 'a frame',
    command: 'echo x > docs/f',
    files: {
      '~/.ion/config.toml':
        'frames.docs = "{work}/docs"\nframes.src = "{work}/src"\npermissions.frame = "src"\n',
      'docs/': '',
      'src/': '',
    },
    gone: /frame/,
  },
  {
    name: 'read mode that a config sets',
    command: 'echo x > f',
    files: {'.ion/config.toml': 'permissions.mode = "read"\n'},
    gone: /read mode/,
  },
  {
    name: 'a network that the project closes',
    command: 'exec 3<>/dev/tcp/127.0.0.1/1; true',
    files: {'.ion/config.toml': 'sandbox.network = "none"\n'},
    gone: /network is closed/,
  },
];

for (const as of testers) {
  for (const row of rows) {
    test(`pasted: ${row.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, ...(row.needs ?? []))) return;
      const first = prepared(t, row, as);
      const said = await run(first, row, as);
      assert.match(said.stderr, row.gone);
      const help =
        /^help: .*?for this run: (.*?); for all: (.*?) in (~\/\.ion\/config\.toml)(?:, without the one in (\S+))?(?:;.*| \(.*)?$/m.exec(
          said.stderr,
        );
      assert.ok(help, said.stderr);
      const [, option = '', line = '', , other] = help;
      const once = await run(first, row, as, option);
      assert.doesNotMatch(once.stderr, row.gone);
      if (row.succeeds) assert.equal(once.code, 0, once.stderr);
      const second = prepared(t, row, as);
      const key = line.slice(0, line.indexOf(' ='));
      if (other !== undefined) rewrite(second, as, `${folderOf(second, row)}/${other}`, key, []);
      rewrite(second, as, `${second.home}/.ion/config.toml`, key, [line.replaceAll(first.root, second.root)]);
      const always = await run(second, row, as);
      assert.doesNotMatch(always.stderr, row.gone);
      if (row.succeeds) assert.equal(always.code, 0, always.stderr);
    });
  }
}

function addRemote(scratch: Scratch, as: Identity): void {
  makeRepository(scratch, as);
  git(scratch, as, ['init', '-q', '--bare', '../remote.git']);
  git(scratch, as, ['remote', 'add', 'origin', '../remote.git']);
}

function prepared(t: Parameters<typeof makeScratch>[0], {files = {}, before}: Row, as: Identity): Scratch {
  const scratch = makeScratch(t, as);
  const filled = Object.entries(files).map(([name, text]): [string, Files[string]] => [
    name,
    typeof text === 'string' ? text.replaceAll('{work}', scratch.work) : text,
  ]);
  writeFiles(scratch, Object.fromEntries(filled));
  giveTo(scratch.root, as);
  before?.(scratch, as);
  return scratch;
}

function folderOf({work}: Scratch, {cwd}: Row): string {
  return cwd === undefined ? work : `${work}/${cwd}`;
}

/** Runs the line as a shell does after a user has pasted it. */
function run(scratch: Scratch, row: Row, as: Identity, option = ''): ReturnType<typeof runIon> {
  const env = Object.entries(row.env ?? {}).map(([name, value]) => [
    name,
    value.replaceAll('{home}', scratch.home),
  ]);
  return runIon(scratch, [row.command], {
    as,
    cwd: folderOf(scratch, row),
    env: Object.fromEntries(env) as Record<string, string>,
    timeoutMs: 120_000,
    through: ['bash', '-c', `exec "$0" "$1" run ${option} "$2"`],
  });
}

/** A value replaces the one that prevented it. */
function rewrite(scratch: Scratch, as: Identity, file: string, key: string, lines: readonly string[]): void {
  mkdirSync(path.dirname(file), {recursive: true});
  const before = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  writeFileSync(file, [...before.filter((one) => !one.startsWith(`${key} =`)), ...lines, ''].join('\n'));
  giveTo(scratch.root, as);
}
