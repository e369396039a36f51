import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import type {Answer, CommandError, OpenOptions, Question, Session} from '../../src/library/types.ts';
import {howMany} from '../harness/extent.ts';
import {packageRoot} from '../harness/package.ts';
import {childrenOf, processes, until} from '../harness/processes.ts';
import {open, opened, type Opened} from './opened.ts';

interface Case {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: OpenOptions;
  readonly run: (made: Opened, t: TestContext) => Promise<void>;
}

const failure = (work: PromiseLike<unknown>): Promise<CommandError> =>
  Promise.resolve(work).then(
    () => assert.fail('it did not fail'),
    (error: CommandError) => error,
  );

const asks = {permissions: {approval: 'ask'}};

/** Answers the questions in order, and records them. */
function answering(...answers: (Answer | (() => Promise<Answer>))[]): {
  readonly questions: Question[];
  readonly onAsk: NonNullable<OpenOptions['onAsk']>;
} {
  const questions: Question[] = [];
  return {
    questions,
    onAsk: (question) => {
      questions.push(question);
      const answer = answers.shift() ?? 'no';
      return typeof answer === 'string' ? answer : answer();
    },
  };
}

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;
const children = (): string =>
  readdirSync('/proc/self/task')
    .map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'))
    .join('');

const cases: readonly Case[] = [
  {
    name: 'the promise has the output, denials and facts',
    run: async ({session, work}) => {
      const result = await session.spawn('echo out; echo err >&2; touch ../outside || true');
      assert.equal(result.stdout, 'out\n');
      assert.match(String(result.stderr), /^err\n/);
      assert.deepEqual([result.exitCode, result.signal, result.failed], [0, undefined, false]);
      const [denial] = result.denials;
      assert.equal(denial!.path, path.join(path.dirname(work), 'outside'));
      assert.equal(denial!.would_allow, `ask the user; denial ${denial!.violation_id}`);
      assert.equal(result.facts.cwd, work);
      assert.equal(result.decision.decision, 'allow');
      assert.match(result.runId, /^[\da-f]{32}$/);
    },
  },
  {
    name: 'a person is told the setting',
    options: {audience: 'person'},
    run: async ({session}) => {
      const {denials} = await session.spawn('touch ../outside || true');
      assert.match(denials[0]!.would_allow!, /sandbox\.write_roots/);
    },
  },
  {
    name: 'the promise of a failed command rejects with all of it',
    run: async ({session}) => {
      const error = await failure(session.spawn('echo out; exit 3'));
      assert.deepEqual(
        [error.code, error.exitCode, error.stdout, error.failed],
        ['ERR_ION_FAILED', 3, 'out\n', true],
      );
      assert.match(error.message, /exit code 3/);
      const result = await session.spawn('echo out; exit 3', {reject: false});
      assert.deepEqual([result.exitCode, result.stdout], [3, 'out\n']);
    },
  },
  {
    name: 'a denied command does not run, and is an error, also of the event',
    run: async ({session, work}) => {
      const error = await failure(session.spawn('touch made; rm -rf /', {reject: false}));
      assert.deepEqual([error.name, error.code, error.exitCode], ['DeniedError', 'ERR_ION_DENIED', 126]);
      assert.equal(error.decision!.decision, 'deny');
      const child = session.spawn('touch made; rm -rf /');
      const event = await new Promise<Error>((resolve) => child.once('error', resolve));
      assert.equal(event.message, error.message);
      assert.deepEqual([child.pid, child.exitCode], [undefined, 126]);
      assert.ok(!existsSync(`${work}/made`));
    },
  },
  {
    name: 'no word of a list is read as bash',
    run: async ({session, work}) => {
      const {stdout} = await session.spawn(['printf', '%s|', '$HOME', '; touch made', '`id`', '-n']);
      assert.equal(stdout, '$HOME|; touch made|`id`|-n|');
      assert.equal((await failure(session.spawn(['if']))).code, 'ENOENT');
      assert.ok(!existsSync(`${work}/made`));
    },
  },
  {
    name: 'secrets are taken out of the variables of a command too',
    run: async ({session}) => {
      const env = {PATH: process.env['PATH'], GITHUB_TOKEN: 'secret', NAME: 'kept'};
      const {stdout} = await session.spawn('env', {env});
      assert.match(String(stdout), /^NAME=kept$/m);
      assert.doesNotMatch(String(stdout), /secret/);
      // The session's own variables stay as they were.
      assert.doesNotMatch(String((await session.spawn('env')).stdout), /NAME=/);
    },
  },
  {
    name: 'variables that change with each command leave nothing behind',
    run: async ({session}) => {
      const run = (number: number) =>
        session.spawn('true', {env: {PATH: process.env['PATH'], NUMBER: `${number}`}});
      for (let number = 0; number < 12; number++) await run(number);
      const before = openDescriptors();
      for (let number = 12; number < 30; number++) await run(number);
      await until('as many descriptors as before', () => openDescriptors() <= before);
    },
  },
  {
    name: 'another folder moves no root',
    files: {'below/file': 'x', '/beside/file': 'x'},
    run: async ({session, root}) => {
      const {stdout} = await session.spawn('cat file; touch ../made; ls ..', {cwd: 'below'});
      assert.equal(stdout, 'xbelow\nmade\n');
      const error = await failure(session.spawn('cat file', {cwd: `${root}/beside`}));
      assert.match(error.message, /outside of what the session may read/);
    },
  },
  {
    name: 'settings stand where --set stands',
    files: {'~/.ion/config.toml': 'sandbox.write_roots = ["/srv/one"]\npermissions.mode = "write"\n'},
    options: {settings: {permissions: {mode: 'read'}, sandbox: {'write_roots+': ['/srv/two']}}},
    run: async ({session}) => {
      assert.equal(session.facts.mode, 'read');
      assert.equal((await failure(session.spawn('touch made'))).exitCode, 126);
    },
  },
  {
    name: 'layers: false reads no file of the user or the project',
    files: {
      '~/.ion/config.toml': 'permissions.deny_commands = ["true"]\n',
      '.ion/config.toml': 'permissions.deny_commands = ["true"]\n',
    },
    options: {layers: false, settings: {environment: {set: {FROM: 'settings'}}}},
    run: async ({session}) => {
      assert.equal((await session.spawn('true; echo $FROM')).stdout, 'settings\n');
    },
  },
  {
    name: 'what was read when it was opened holds',
    run: async ({session, home}) => {
      await session.spawn('true');
      writeFileSync(`${home}/.ion/config.toml`, 'permissions.deny_commands = ["true"]\n');
      assert.equal((await session.spawn('true')).exitCode, 0);
    },
  },
  {
    name: 'check decides as ion check does, and runs nothing',
    run: async ({session, work}) => {
      const {
        decision,
        will_refuse: refused,
        chain,
      } = await session.check('touch made; curl http://x.example');
      assert.equal(decision, 'allow');
      assert.match(refused.join(), /network/);
      assert.ok(chain.length > 0);
      assert.equal((await session.check(['rm', '-rf', '/'])).decision, 'deny');
      assert.ok(!existsSync(`${work}/made`));
    },
  },
  {
    name: 'a time limit ends the whole tree',
    run: async ({session}) => {
      const error = await failure(session.spawn('sleep 50 & sleep 50', {timeout: 300}));
      assert.deepEqual([error.timedOut, error.signal], [true, 'SIGTERM']);
    },
  },
  {
    name: 'more output than maxBuffer ends the command',
    run: async ({session}) => {
      const error = await failure(session.spawn('yes', {maxBuffer: 1000}));
      assert.deepEqual([error.code, error.isMaxBuffer], ['ERR_CHILD_PROCESS_STDIO_MAXBUFFER', true]);
      assert.equal(error.stdout!.length, 1000);
      const whole = await session.spawn('head -c 1000 /dev/zero', {maxBuffer: 1000, encoding: 'buffer'});
      assert.ok(Buffer.isBuffer(whole.stdout) && whole.stdout.length === 1000);
    },
  },
  {
    name: 'input is written and ended',
    run: async ({session}) => {
      assert.equal((await session.spawn('cat', {input: 'abc'})).stdout, 'abc');
      assert.equal((await session.spawn('true', {input: 'x'.repeat(1_000_000)})).exitCode, 0);
    },
  },
  {
    name: 'what is awaited late is there',
    run: async ({session}) => {
      const child = session.spawn('echo early');
      await new Promise((resolve) => child.once('exit', resolve));
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await child).stdout, 'early\n');
    },
  },
  {
    name: 'a command that is killed at once does not start',
    run: async ({session, work}) => {
      const child = session.spawn('touch made');
      child.kill();
      const error = await failure(child);
      assert.deepEqual([error.signal, child.signalCode, child.killed], ['SIGTERM', 'SIGTERM', true]);
      assert.ok(!existsSync(`${work}/made`));
      const aborted = await failure(session.spawn('touch made', {signal: AbortSignal.abort()}));
      assert.deepEqual([aborted.name, aborted.code], ['AbortError', 'ABORT_ERR']);
      assert.ok(!existsSync(`${work}/made`));
    },
  },
  {
    name: 'what a sandboxed command cannot have is refused at once',
    run: async ({session}) => {
      const refused = (options: object, what: RegExp) =>
        assert.throws(() => session.spawn('true', options), what, JSON.stringify(options));
      refused({detached: true}, /"detached" is not possible: no process outlives its session/);
      refused({uid: 0}, /"uid" is not possible/);
      refused({stdio: ['pipe', 'pipe', 'pipe', 'pipe']}, /three streams/);
      refused({stdio: ['pipe', 'ipc']}, /not a form of a standard stream: "ipc"/);
      refused({killSignal: 'SIGNOT'}, /not a signal: "SIGNOT"/);
      refused({killSignal: 'SIGSTOP'}, /SIGSTOP is not passed on/);
      assert.throws(() => session.spawn(''), /empty/);
      assert.throws(() => session.spawn([]), /list of strings/);
      const child = session.spawn('sleep 50');
      child.once('spawn', () => {
        assert.throws(() => child.kill('SIGSTOP'), /SIGSTOP is not passed on/);
        child.kill('SIGKILL');
      });
      assert.equal((await failure(child)).signal, 'SIGKILL');
      assert.match((await failure(session.spawn('echo \0'))).message, /NUL byte/);
    },
  },
  {
    name: 'without onAsk a question is a denial',
    options: {settings: asks},
    run: async ({session}) => {
      const error = await failure(session.spawn('touch made'));
      assert.deepEqual([error.code, error.decision!.decision_reason], ['ERR_ION_DENIED', 'ask_unavailable']);
    },
  },
  {
    name: 'events come as they happen, and end with the session',
    run: async ({session}) => {
      const types: string[] = [];
      const reading = (async () => {
        for await (const event of session.events()) types.push(event.type);
      })();
      const left = session.events();
      await session.spawn('true');
      await left.return!();
      await session.spawn('touch ../outside || true');
      await session.close();
      await reading;
      const one = ['run.started', 'permission.evaluated', 'sandbox.applied'];
      // A refused call may be recorded again with its count.
      const kinds = types.filter((type, at) => type !== types[at - 1]);
      assert.deepEqual(kinds, [...one, 'run.finished', ...one, 'sandbox.violation', 'run.finished']);
      assert.deepEqual(await session.events().next(), {done: true, value: undefined});
    },
  },
  {
    name: 'hooks decide here too',
    files: {
      '~/.ion/config.toml': '[[hooks]]\nevent = "PreToolUse"\ncommand = "echo no >&2; exit 2"\n',
    },
    run: async ({session}) => {
      const error = await failure(session.spawn('echo x'));
      assert.deepEqual([error.code, error.decision!.decision_source], ['ERR_ION_DENIED', 'hooks']);
    },
  },
];

for (const {name, files, options, run} of cases) {
  test(`library: ${name}`, async (t) => run(await opened(t, files, options), t));
}

interface AskCase {
  readonly name: string;
  readonly answers: readonly (Answer | (() => Promise<Answer>))[];
  /** Whether the first and the second of two equal commands are allowed. */
  readonly allowed: readonly [boolean, boolean];
  readonly asked: number;
}

const askCases: readonly AskCase[] = [
  {name: 'once', answers: ['once', 'no'], allowed: [true, false], asked: 2},
  {name: 'for the session', answers: ['session'], allowed: [true, true], asked: 1},
  {name: 'always for the user', answers: ['user'], allowed: [true, true], asked: 1},
  {name: 'no', answers: ['no', 'no'], allowed: [false, false], asked: 2},
  {
    name: 'a throw is a no',
    answers: [() => Promise.reject(new Error('x')), 'no'],
    allowed: [false, false],
    asked: 2,
  },
  {name: 'another word is a no', answers: ['yes' as Answer, 'no'], allowed: [false, false], asked: 2},
];

for (const {name, answers, allowed, asked} of askCases) {
  test(`library: a question answered with ${name}`, async (t) => {
    const {questions, onAsk} = answering(...answers);
    const {session, work} = await opened(t, {}, {settings: asks, onAsk});
    for (const each of allowed) {
      const {exitCode} = await session.spawn('touch made').then(
        (result) => result,
        (error: CommandError) => error,
      );
      assert.equal(exitCode, each ? 0 : 126);
    }
    assert.equal(existsSync(`${work}/made`), allowed[0]);
    assert.equal(questions.length, asked);
    const [question] = questions;
    assert.equal(question!.command, 'touch made');
    assert.deepEqual(question!.answers, ['once', 'session', 'workspace', 'user', 'no']);
    assert.match(question!.sandbox, /write mode in/);
    assert.ok(question!.signal.aborted, 'it is over');
  });
}

test('library: a question that stands when the session is closed is a denial', async (t) => {
  const {questions, onAsk} = answering(() => new Promise(() => undefined));
  const {session} = await opened(t, {}, {settings: asks, onAsk});
  const failed = failure(session.spawn('touch made'));
  await until('the question', () => questions.length === 1);
  await session.close();
  assert.equal((await failed).exitCode, 126);
  assert.ok(questions[0]!.signal.aborted);
});

test('library: several policies in one process', async (t) => {
  const writes = await opened(t);
  const reads = await opened(t, {}, {read: true});
  const runs = await Promise.allSettled([
    writes.session.spawn('touch made; cat made'),
    reads.session.spawn('touch made'),
    writes.session.spawn('echo $$ > /dev/null'),
    reads.session.spawn('ls'),
  ]);
  assert.deepEqual(
    runs.map(({status}) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual([existsSync(`${writes.work}/made`), existsSync(`${reads.work}/made`)], [true, false]);
});

test('library: many commands at once', async (t) => {
  const {session} = await opened(t);
  const count = howMany({quick: 30, whole: 100, full: 100});
  const results = await Promise.all(
    Array.from({length: count}, (_, number) => session.spawn(`echo ${number}`)),
  );
  assert.deepEqual(
    results.map(({stdout}) => stdout),
    Array.from({length: count}, (_, number) => `${number}\n`),
  );
});

test('library: closing ends what runs, and leaves neither descriptor nor process', async (t) => {
  const {work, home} = await opened(t);
  const env = {HOME: home, PATH: process.env['PATH']};
  const round = async (): Promise<void> => {
    const session: Session = await open({cwd: work, env});
    const child = session.spawn('echo up; (trap "" TERM; sleep 50) & sleep 50', {reject: false});
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    await session.close();
    assert.deepEqual([child.exitCode, child.signalCode], [null, 'SIGKILL']);
    assert.throws(() => session.spawn('true'), /closed/);
  };
  await round();
  const [descriptors, before] = [openDescriptors(), children()];
  for (let times = 0; times < 3; times++) await round();
  await until('all of it is gone', () => openDescriptors() <= descriptors && children() === before);
});

test('library: the next command runs although what was made ahead for it was killed', async (t) => {
  const {session} = await opened(t);
  // Process 1 takes its name while the command starts: until then it has the launcher's.
  const hasOwnFirst = async (): Promise<boolean> =>
    /^ion(-launcher)?\n$/.test(String((await session.spawn('echo $(</proc/1/comm)')).stdout));
  const hasOwn = await hasOwnFirst();
  const launcher = (): number | undefined =>
    childrenOf(process.pid).find(({command}) => command.includes('--wait'))?.pid;
  const firstOf = (): number | undefined => childrenOf(launcher() ?? 0)[0]?.pid;
  for (const found of hasOwn ? [launcher, firstOf] : [launcher]) {
    const pid = await until('what is made ahead', found);
    const gone = [pid, ...childrenOf(pid).map((child) => child.pid)];
    process.kill(pid, 'SIGKILL');
    await until('its end', () => !processes().some((one) => gone.includes(one.pid)));
    assert.equal(await hasOwnFirst(), hasOwn);
  }
});

test('library: it can be required and imported, and names only what is public', async () => {
  const required = createRequire(import.meta.url)(path.join(packageRoot, 'lib/index.cjs')) as object;
  assert.deepEqual(Object.keys(required), ['open']);
  const {exports} = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
    exports: object;
  };
  assert.deepEqual(Object.keys(exports), ['.', './package.json']);
});
