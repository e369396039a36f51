import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {test} from 'node:test';
import {ionElsewhere} from '../harness/elsewhere.ts';
import {plain, type Identity} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files, type Scratch} from '../harness/scratch.ts';

const as = plain;

function execute(
  file: string,
  args: readonly string[],
  scratch: Scratch,
  env = {},
  who: Identity = as,
): Promise<Ended> {
  return runProgram(scratch, [file, ...args], {env, as: who});
}

/** The place of the lock, and its name in a message. */
const locks = {
  machine: {file: '/etc-ion.toml', text: '', at: '{root}/etc-ion.toml'},
  user: {file: '~/.ion/config.toml', text: '[permissions]\nlocked = true\n', at: '~/.ion/config.toml:2'},
} as const;

type By = keyof typeof locks;

interface Locked {
  readonly name: string;
  readonly by?: By;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly code?: number;
  readonly stderr: string | RegExp;
  readonly absent?: string;
}

const outside = ['run', 'touch {root}/mark 2>/dev/null; true'];

/** Ways to loosen, each tried under both locks. None may work. */
const loosenings: readonly Locked[] = [
  {
    name: '--no-sandbox',
    args: ['run', '--no-sandbox', 'touch {root}/mark 2>/dev/null; true'],
    stderr: /^ion: ignored: permissions\.sandbox = false \(locked by AT\)\nhelp: /,
  },
  {
    name: '--config',
    files: {'/ci.toml': '[permissions]\nsandbox = false\n[sandbox]\nwrite_roots = ["{root}"]\n'},
    args: ['run', '--config', '{root}/ci.toml', 'touch {root}/mark 2>/dev/null; true'],
    stderr:
      /^ion: ignored: permissions\.sandbox = false \(locked by AT\)\n --> [^\n]*ci\.toml:2\nhelp: [^\n]*\nion: ignored: sandbox\.write_roots/,
  },
  {
    name: 'the environment, listed or not',
    files: {'~/.ion/ci.toml': '[permissions]\nsandbox = false\n'},
    env: {ION_CONFIG: '{home}/.ion/ci.toml'},
    args: outside,
    stderr: /ion: ignored: permissions\.sandbox = false \(locked by AT\)\n/,
  },
  {
    name: 'ION_TRUST_PROJECT',
    files: {'.ion/config.toml': '[permissions]\nsandbox = false\n'},
    env: {ION_TRUST_PROJECT: 'da39a3ee'},
    args: outside,
    stderr: /ion: ignored: permissions\.sandbox = false \(locked by AT\)\n/,
  },
  {
    name: 'a longer --timeout',
    files: {'~/.ion/config.toml': '[permissions]\nlocked = true\n[sandbox.limits]\ntimeout = "20s"\n'},
    by: 'user',
    args: ['run', '--timeout', '1h', 'true'],
    stderr: /^ion: ignored: sandbox\.limits\.timeout = "3600000ms" \(locked by AT\)\n/,
  },
  {
    name: 'ion trust',
    args: ['trust'],
    code: 125,
    stderr: /^ion: ion trust is refused: permissions\.locked = true\n --> AT\nhelp: /,
  },
  {
    name: 'ion rules add',
    args: ['rules', 'add', 'allow', 'tool', 'bash'],
    code: 125,
    stderr: /^ion: ion rules add is refused: permissions\.locked = true\n --> AT\nhelp: /,
    absent: '{home}/.ion/rules.json',
  },
  {
    name: 'ion rules remove',
    args: ['rules', 'remove', 'x'],
    code: 125,
    stderr: /^ion: ion rules remove is refused: /,
  },
  {
    name: 'an answer: ion does not ask',
    files: {'/ask.toml': '[permissions]\napproval = "ask"\n'},
    args: ['run', '--config', '{root}/ask.toml', 'touch {work}/mark'],
    code: 126,
    stderr:
      /^ion: denied: .*, and AT has permissions.locked = true: ion asks no questions\n --> [^\n]*\nhelp: ask the user; denial /,
  },
  {
    name: 'a stored rule that allows',
    files: {
      '/ask.toml': '[permissions]\napproval = "ask"\n',
      '~/.ion/rules.json': {
        text: '{"version":1,"rules":[\n{"id":"1","effect":"allow","scope":"tool","match":"bash"}\n]}\n',
        mode: 0o600,
      },
    },
    args: ['run', '--config', '{root}/ask.toml', 'touch {work}/mark'],
    code: 126,
    stderr: /^ion: denied: .*, and AT has permissions.locked = true: ion asks no questions\n/,
  },
  {
    name: 'a hook of --config, which disables the sandbox and allows nothing',
    files: {
      '/ask.toml':
        '[permissions]\napproval = "ask"\n[[hooks]]\nevent = "PreToolUse"\nsandbox = false\n' +
        'command = "touch {root}/mark; echo \'{\\"decision\\":\\"approve\\"}\'"\n',
    },
    args: ['run', '--config', '{root}/ask.toml', 'touch {work}/mark'],
    code: 126,
    stderr:
      /has no effect.*\n(?:.*\n)?ion: denied: .*, and AT has permissions.locked = true: ion asks no questions\n/,
  },
];

/** Actions that still work, because they tighten. */
const tightenings: readonly Locked[] = [
  {name: '--read', args: ['run', '--read', 'touch mark'], code: 126, stderr: /^ion: denied: .*read mode/},
  {
    name: 'a hook of --config that denies',
    files: {'/hook.toml': '[[hooks]]\nevent = "PreToolUse"\ncommand = "echo no >&2; exit 2"\n'},
    args: ['run', '--config', '{root}/hook.toml', 'true'],
    code: 126,
    stderr: /^ion: denied: "true" by a hook: "no"\n/,
  },
  {
    name: 'a stored rule that denies',
    files: {
      '~/.ion/rules.json': {
        text: '{"version":1,"rules":[\n{"id":"1","effect":"deny","scope":"tool","match":"bash"}\n]}\n',
        mode: 0o600,
      },
    },
    args: ['run', 'true'],
    code: 126,
    stderr: /^ion: denied: /,
  },
  {name: 'a run', args: ['run', 'true'], stderr: ''},
];

for (const one of [...loosenings, ...tightenings]) {
  for (const by of Object.keys(locks).filter((each) => !one.by || one.by === each) as By[]) {
    test(`locked by the ${by}: ${one.name}`, async (t) => {
      const scratch = makeScratch(t, as);
      const {root, home, work} = scratch;
      const put = (text: string): string =>
        text.replaceAll('{root}', root).replaceAll('{home}', home).replaceAll('{work}', work);
      const lock = locks[by];
      const files = {[lock.file]: lock.text, ...one.files};
      writeFiles(
        scratch,
        Object.fromEntries(
          Object.entries(files).map(([file, content]) => [
            file,
            typeof content === 'string'
              ? put(content)
              : 'link' in content
                ? content
                : {...content, text: put(content.text)},
          ]),
        ),
      );
      const machineConfig = `${root}/etc-ion.toml`;
      const ion = ionElsewhere(scratch, {machineConfig, passwdHome: home});
      giveTo(root, as);
      const env = Object.fromEntries(Object.entries(one.env ?? {}).map(([key, value]) => [key, put(value)]));
      const ended = await execute(process.execPath, [ion, ...one.args.map(put)], scratch, env);
      assert.equal(ended.code, one.code ?? 0, ended.stderr);
      const at = put(lock.at).replaceAll('.', '\\.');
      if (typeof one.stderr === 'string') assert.equal(ended.stderr, one.stderr);
      else assert.match(ended.stderr, new RegExp(one.stderr.source.replaceAll('AT', at)));
      assert.equal(existsSync(`${root}/mark`) || existsSync(`${work}/mark`), false, ended.stderr);
      if (one.absent) assert.equal(existsSync(put(one.absent)), false);
    });
  }
}

test("the machine's config: locked = false does not lock the user's layers", async (t) => {
  const scratch = makeScratch(t, as, {
    '/etc-ion.toml': '[permissions]\nlocked = false\ndeny_commands = ["touch *"]\n',
  });
  const ion = ionElsewhere(scratch, {
    machineConfig: `${scratch.root}/etc-ion.toml`,
    passwdHome: scratch.home,
  });
  const run = (...args: string[]) => execute(process.execPath, [ion, 'run', ...args], scratch);
  assert.match((await run('--no-sandbox', 'true')).stderr, /^ion: no sandbox/);
  assert.match((await run('touch x')).stderr, /^ion: denied: .*deny_commands/);
});

test('/etc/ion/config.toml is read by default', async (t) => {
  if (process.getuid!() !== 0) return t.skip('a mount namespace with another /etc needs root');
  const scratch = makeScratch(t, as, {
    '/upper/ion/config.toml': '[permissions]\ndeny_commands = ["touch *"]\n',
  });
  const {root} = scratch;
  const rootUser: Identity = {name: 'root', uid: 0, gid: 0};
  giveTo(`${root}/upper`, rootUser);
  // In a mount namespace, so that other suites keep their /etc.
  const script =
    `mkdir -p ${root}/lower ${root}/w && mount -t tmpfs none ${root}/w && mkdir ${root}/w/up ${root}/w/work && ` +
    `cp -r ${root}/upper/. ${root}/w/up && mount -t overlay overlay -o lowerdir=/etc,upperdir=${root}/w/up,workdir=${root}/w/work /etc || exit 77\n` +
    `exec "$@"`;
  const inside = ['-m', '--propagation', 'private', 'bash', '-c', script, 'bash', process.execPath, ionFile];
  const denied = await execute('unshare', [...inside, 'run', 'touch x'], scratch, {}, rootUser);
  if (denied.code === 77) return t.skip('no overlay can be mounted here');
  assert.match(denied.stderr, /^ion: denied: "touch x".*\n --> \/etc\/ion\/config\.toml:2\n/);
  const locked = await execute('unshare', [...inside, 'run', '--no-sandbox', 'true'], scratch, {}, rootUser);
  assert.match(
    locked.stderr,
    /^ion: ignored: permissions\.sandbox = false \(locked by \/etc\/ion\/config\.toml\)\n/,
  );
});
