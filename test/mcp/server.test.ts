import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {test, type TestContext} from 'node:test';
import {testers, type Identity} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

interface Opened extends McpHost {
  readonly scratch: Scratch;
}

async function opened(
  t: TestContext,
  as: Identity,
  files: Files = {},
  more: {args?: readonly string[]} & Parameters<typeof connectMcp>[3] = {},
): Promise<Opened> {
  const {args = [], ...options} = more;
  const scratch = makeScratch(t, as, files);
  return {scratch, ...(await connectMcp(t, scratch, ['mcp', ...args], {as, ...options}))};
}

const config = (text: string): Files => ({'~/.ion/config.toml': text});

for (const as of testers) {
  const it = (name: string, work: (t: TestContext) => Promise<void>): void =>
    void test(`mcp: ${name} (${as.name})`, work);

  it('lists its tools with true hints', async (t) => {
    const {client} = await opened(t, as);
    const {tools} = await client.listTools();
    const reading = tools.filter(({annotations}) => annotations?.readOnlyHint).map(({name}) => name);
    assert.deepEqual(
      tools.map(({name}) => name),
      [
        'run',
        'run_read',
        'start',
        'output',
        'input',
        'stop',
        'check',
        'explain',
        'read',
        'write',
        'edit',
        'glob',
        'grep',
        'ls',
      ],
    );
    assert.deepEqual(reading, ['run_read', 'output', 'check', 'explain', 'read', 'glob', 'grep', 'ls']);
  });

  it('a command gives its exit code and output, and what was refused', async (t) => {
    const host = await opened(t, as, {'a.txt': 'hello\n'});
    const fine = await callTool(host, 'run', {command: 'cat a.txt; echo oops >&2; exit 3'});
    assert.equal(fine.structured['exit_code'], 3);
    assert.equal(fine.structured['stdout'], 'hello\n');
    assert.equal(fine.structured['stderr'], 'oops\n');
    assert.equal(fine.isError, true);
    const refused = await callTool(host, 'run', {command: 'echo x > ../outside'});
    const [denial] = refused.structured['denials'] as {id: string; path: string; help: string}[];
    assert.equal(denial?.path, path.join(host.scratch.home, 'outside'));
    assert.match(refused.text, /blocked: "bash" could not write/);
    // A program gets no setting that loosens.
    assert.equal(denial.help, `ask the user; denial ${denial.id}`);
    const explained = await callTool(host, 'explain', {id: denial.id});
    assert.equal(explained.structured['path'], denial.path);
    assert.equal(existsSync(path.join(host.scratch.home, 'outside')), false);
  });

  it('run_read only reads, whatever the text hides', async (t) => {
    const host = await opened(t, as, {'a.txt': 'hello\n'});
    assert.equal((await callTool(host, 'run_read', {command: 'cat a.txt'})).text, 'hello\n');
    for (const command of ['touch x', 'sh -c "touch x"', 'cat a.txt > x', 'awk \'BEGIN{print 1 > "x"}\''])
      assert.equal((await callTool(host, 'run_read', {command})).isError, true, command);
    assert.equal(existsSync(path.join(host.scratch.work, 'x')), false);
  });

  it('file tools read, write, edit, find, search and list', async (t) => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const host = await opened(t, as, {
      'src/a.ts': 'one\ntwo\nthree\n',
      '.gitignore': 'skipped\n',
      'skipped/b.ts': 'two\n',
    });
    writeFileSync(path.join(host.scratch.work, 'i.png'), png);
    writeFileSync(path.join(host.scratch.work, 'b.bin'), Buffer.from([0, 1, 2, 255]));
    giveTo(host.scratch.work, as);
    const range = await callTool(host, 'read', {path: 'src/a.ts', offset: 2, limit: 1});
    assert.equal(range.text, 'two\n');
    assert.deepEqual([range.structured['total_lines'], range.structured['truncated']], [3, true]);
    const image = await callTool(host, 'read', {path: 'i.png'});
    assert.deepEqual(image.content, [{type: 'image', data: png.toString('base64'), mimeType: 'image/png'}]);
    assert.match(
      (await callTool(host, 'read', {path: 'b.bin'})).text,
      /binary file of 4 bytes; it begins with 000102ff/,
    );
    await callTool(host, 'edit', {path: 'src/a.ts', edits: [{old: 'two\n', new: 'zwei\n'}]});
    assert.equal(readFileSync(path.join(host.scratch.work, 'src/a.ts'), 'utf8'), 'one\nzwei\nthree\n');
    assert.match(
      (await callTool(host, 'edit', {path: 'src/a.ts', edits: [{old: 'e', new: 'f'}]})).text,
      /occurs 4 times/,
    );
    assert.match(
      (await callTool(host, 'edit', {path: 'src/a.ts', edits: [{old: 'q', new: 'f'}]})).text,
      /does not occur/,
    );
    await callTool(host, 'write', {path: 'new/deep/c.ts', content: 'zwei\n'});
    assert.equal(readFileSync(path.join(host.scratch.work, 'new/deep/c.ts'), 'utf8'), 'zwei\n');
    const found = await callTool(host, 'glob', {pattern: '**/*.ts'});
    assert.deepEqual([...(found.structured['files'] as string[])].sort(), ['new/deep/c.ts', 'src/a.ts']);
    const matches = (await callTool(host, 'grep', {pattern: 'zw.i'})).structured['matches'] as {
      path: string;
    }[];
    assert.deepEqual(matches.map((one) => one.path).sort(), ['new/deep/c.ts', 'src/a.ts']);
    assert.equal((await callTool(host, 'ls', {path: 'src'})).text, 'a.ts');
  });

  it('the kernel holds the file tools: /etc, home, links, and links that are swapped', async (t) => {
    const host = await opened(t, as, {
      '~/secret': 'do not read\n',
      file: {link: '../secret'},
      folder: {link: '/etc'},
      passwd: {link: '/etc/passwd'},
      dangling: {link: '../made'},
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config': '[core]\n\tbare = false\n',
      '.git/objects/': '',
      '.git/refs/': '',
    });
    const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
      ['read', {path: '/etc/passwd'}],
      ['read', {path: 'passwd'}],
      ['read', {path: 'folder/hostname'}],
      ['read', {path: '../secret'}],
      ['read', {path: 'file'}],
      ['ls', {path: 'folder'}],
      ['grep', {path: '/etc', pattern: 'root'}],
      ['glob', {path: '/etc', pattern: '*'}],
      ['write', {path: '../made', content: 'x'}],
      ['write', {path: 'dangling', content: 'x'}],
      ['write', {path: '.git/hooks/pre-commit', content: 'x'}],
      ['write', {path: '.envrc', content: 'x'}],
      ['edit', {path: 'file', edits: [{old: 'do', new: 'x'}]}],
      ['read', {path: '/proc/self/environ/../../1/environ'}],
      ['read', {path: '/dev/zero'}],
      ['write', {path: '.git/config', content: '[core]\n\thooksPath = evil\n'}],
    ];
    for (const [tool, input] of attempts) {
      const {isError, text} = await callTool(host, tool, input);
      assert.equal(isError, true, `${tool} ${JSON.stringify(input)}: ${text}`);
      assert.doesNotMatch(text, /do not read|root:/);
    }
    assert.equal(existsSync(path.join(host.scratch.home, 'made')), false);
    assert.equal(existsSync(path.join(host.scratch.work, '.envrc')), false);
    assert.doesNotMatch(readFileSync(path.join(host.scratch.work, '.git/config'), 'utf8'), /evil/);
    assert.equal(readFileSync(path.join(host.scratch.home, 'secret'), 'utf8'), 'do not read\n');
  });

  it('a link that alternates between inside and outside never leads outside', async (t) => {
    const host = await opened(t, as, {'~/out/f': 'SECRET\n', 'in/f': 'inside\n'});
    const {work, home} = host.scratch;
    let isOver = false;
    const swap = (async () => {
      for (let round = 0; !isOver; round++) {
        rmSync(path.join(work, 'way'), {force: true});
        symlinkSync(round % 2 === 0 ? path.join(home, 'out') : path.join(work, 'in'), path.join(work, 'way'));
        await wait(0);
      }
    })();
    for (let round = 0; round < 12; round++) {
      assert.doesNotMatch((await callTool(host, 'read', {path: 'way/f'})).text, /SECRET/);
      await callTool(host, 'write', {path: 'way/g', content: 'x'});
    }
    isOver = true;
    await swap;
    assert.equal(existsSync(path.join(home, 'out/g')), false);
  });

  it('with read roots that hold /etc, file tools still refuse /etc, and commands do not', async (t) => {
    const host = await opened(t, as, config('[sandbox]\nread_roots = ["/etc/hostname"]\n'));
    assert.equal((await callTool(host, 'run', {command: 'head -c1 /etc/passwd'})).isError, false);
    assert.match((await callTool(host, 'read', {path: '/etc/hostname'})).text, /denied_paths "\/etc"/);
  });

  it('read mode closes the file tools that write', async (t) => {
    const host = await opened(t, as, {'a.txt': 'x\n'}, {args: ['--read']});
    assert.equal((await callTool(host, 'read', {path: 'a.txt'})).text, 'x\n');
    assert.match((await callTool(host, 'grep', {pattern: 'x'})).text, /a.txt:1:x/);
    assert.match((await callTool(host, 'write', {path: 'b', content: ''})).text, /denied/);
    assert.equal((await callTool(host, 'run', {command: 'touch c'})).isError, true);
  });

  it('rules decide about tools and paths, and hide their words from programs', async (t) => {
    const rules = `[permissions]
deny_commands = ["node *", "curl *"]
[[permissions.rules]]
effect = "deny"
scope = "path"
match = "~/work/secret"
[[permissions.rules]]
effect = "deny"
scope = "tool"
match = "edit"
`;
    const host = await opened(t, as, {...config(rules), secret: 'x\n', a: 'x\n'});
    assert.match((await callTool(host, 'read', {path: 'secret'})).text, /denied.*secret/);
    assert.match((await callTool(host, 'edit', {path: 'a', edits: [{old: 'x', new: 'y'}]})).text, /denied/);
    // The worker is a Node process, but deny_commands is only about commands.
    assert.equal((await callTool(host, 'read', {path: 'a'})).text, 'x\n');
    const denied = await callTool(host, 'run', {command: 'node -e 0'});
    assert.match(denied.text, /^ion: denied: "node -e 0" matches deny_commands/);
    assert.match(denied.text, /help: ask the user; denial [\da-f]{32}-1\n$/);
    assert.doesNotMatch(denied.text, /--set|config\.toml.*help/);
  });

  it('a worker that is killed is started again', async (t) => {
    const host = await opened(t, as, {a: 'x\n'});
    assert.equal((await callTool(host, 'read', {path: 'a'})).text, 'x\n');
    for (const pid of workersBelow(host.child.pid!)) process.kill(pid, 'SIGKILL');
    const answers = [];
    for (let tries = 0; tries < 3; tries++) answers.push((await callTool(host, 'read', {path: 'a'})).text);
    assert.equal(answers.at(-1), 'x\n');
  });

  it('a pattern without end is stopped by nothing but its own worker', async (t) => {
    const host = await opened(t, as, {a: `${'a'.repeat(50)}!\n`});
    const controller = new AbortController();
    const stuck = callTool(host, 'grep', {pattern: '(a+)+$', path: 'a'}, {signal: controller.signal});
    stuck.catch(() => undefined);
    await wait(300);
    assert.equal((await callTool(host, 'run', {command: 'echo alive'})).text, 'alive\n');
    controller.abort();
    await assert.rejects(stuck);
    assert.equal((await callTool(host, 'read', {path: 'a'})).isError, false);
  });

  it('cancelling a call ends its tree', async (t) => {
    const host = await opened(t, as);
    const controller = new AbortController();
    const call = callTool(
      host,
      'run',
      {command: 'touch up; (setsid sh -c "sleep 60; touch late" &) ; sleep 60'},
      {signal: controller.signal},
    );
    call.catch(() => undefined);
    while (!existsSync(path.join(host.scratch.work, 'up'))) await wait(20);
    controller.abort();
    await assert.rejects(call);
    await noneBelow(host.child.pid!, 'sleep');
  });

  it('nothing outlives the connection', async (t) => {
    const host = await opened(t, as);
    await callTool(host, 'start', {command: 'setsid sleep 61 & sleep 61'});
    const running = host.client.callTool({name: 'run', arguments: {command: 'sleep 61'}});
    running.catch(() => undefined);
    while (named('sleep').length < 3) await wait(20);
    await host.client.close();
    await noneBelow(undefined, 'sleep\x0061');
    assert.equal(host.child.exitCode, 0);
  });

  it('a long command by its handle: output, input, end', async (t) => {
    const host = await opened(t, as);
    const {structured} = await callTool(host, 'start', {command: 'read name; echo "hello $name"; exit 4'});
    const job = structured['job'];
    await callTool(host, 'input', {job, text: 'ion\n'});
    let text = '';
    for (;;) {
      const output = await callTool(host, 'output', {job, wait_seconds: 10});
      text += output.structured['output'] as string;
      if (output.structured['exit_code'] === null) continue;
      assert.equal(output.structured['exit_code'], 4);
      break;
    }
    assert.equal(text, 'hello ion\n');
    assert.equal((await callTool(host, 'output', {job: 'other'})).isError, true);
    const endless = await callTool(host, 'start', {command: 'trap "" TERM; sleep 60 & wait; sleep 60'});
    const stopped = await callTool(host, 'stop', {job: endless.structured['job'], signal: 'SIGKILL'});
    assert.equal(stopped.structured['state'], 'ended');
  });

  it('at most eight started commands run, and one that has ended makes room', async (t) => {
    const host = await opened(t, as);
    const start = () => callTool(host, 'start', {command: 'sleep 60'});
    const all = await Promise.all(Array.from({length: 10}, start));
    const refused = all.filter(({isError}) => isError);
    assert.deepEqual(
      refused.map(({text}) => text),
      Array.from({length: 2}, () => 'ion: 8 jobs run already: stop one first\n'),
    );
    const {job} = all.find(({isError}) => !isError)!.structured;
    await callTool(host, 'stop', {job, signal: 'SIGKILL'});
    assert.equal((await start()).isError, false);
    assert.equal((await start()).isError, true);
  });

  it('a started command that does not read gets a bounded amount of input', async (t) => {
    const host = await opened(t, as);
    const {job} = (await callTool(host, 'start', {command: 'sleep 60'})).structured;
    const write = () => callTool(host, 'input', {job, text: 'x'.repeat(2_000_000)});
    assert.equal((await write()).isError, false);
    assert.match((await write()).text, /does not read its input/);
  });

  it('explain knows refusals of this workspace from the audit log, and not those of another', async (t) => {
    const host = await opened(t, as, {'~/other/': ''});
    const {home, work} = host.scratch;
    for (const [cwd, isFound] of [
      [work, true],
      [path.join(home, 'other'), false],
    ] as const) {
      const {stderr} = await runIon(host.scratch, ['run', '--json', 'echo x > ~/made'], {as, cwd});
      const id = /[\da-f]{32}-\d+/.exec(stderr)?.[0];
      const {structured, text} = await callTool(host, 'explain', {id});
      assert.deepEqual([structured['found'], text.includes('made')], [isFound, isFound], `${id} ${text}`);
    }
  });

  it('each call that waits for the output of a job is answered', async (t) => {
    const host = await opened(t, as);
    const {job} = (await callTool(host, 'start', {command: 'sleep 2; exit 4'})).structured;
    const started = Date.now();
    const [short, long] = await Promise.all(
      [1, 40].map((seconds) => callTool(host, 'output', {job, wait_seconds: seconds})),
    );
    assert.deepEqual([short!.structured['exit_code'], long!.structured['exit_code']], [null, 4]);
    assert.ok(Date.now() - started < 30_000);
  });

  it('a large output is cut, and a link leads to the rest', async (t) => {
    const host = await opened(t, as);
    const result = await callTool(host, 'run', {command: 'seq 200000; printf end'});
    const link = result.content.find(({type}) => type === 'resource_link') as {uri: string; size: number};
    assert.equal(result.structured['truncated'], true);
    assert.ok(result.text.length < 120_000);
    assert.match(result.structured['stdout'] as string, /^1\n2\n[^]*bytes left out here[^]*200000\nend$/);
    const {contents} = await host.client.readResource({uri: link.uri});
    assert.equal((contents[0] as {text: string}).text.length, result.structured['stdout_bytes']);
    await assert.rejects(host.client.readResource({uri: 'ion://output/0/stdout'}));
  });

  it('progress has the last line', async (t) => {
    const host = await opened(t, as);
    const messages: string[] = [];
    await callTool(
      host,
      'run',
      {command: 'echo one; sleep 0.5; echo two; sleep 0.5; echo three'},
      {onprogress: ({message}) => messages.push(message!)},
    );
    assert.ok(messages.includes('one') && messages.length > 1, messages.join());
  });

  it('a question reaches a host that can ask; another host is denied at once', async (t) => {
    const files = config('[permissions]\napproval = "ask"\n');
    const asked: string[] = [];
    const answers = ['no', 'once', 'session', 'workspace'];
    const host = await opened(t, as, files, {
      capabilities: {capabilities: {elicitation: {form: {}}}},
      before: (client) =>
        client.setRequestHandler('elicitation/create', ({params}) => {
          asked.push(params.message);
          return {action: 'accept', content: {answer: answers[asked.length - 1]!}};
        }),
    });
    const command = 'touch "a\nion: forged"';
    assert.match((await callTool(host, 'run', {command})).text, /denied by your answer/);
    assert.equal(asked[0]!.split('\n').length, 3, asked[0]);
    assert.equal((await callTool(host, 'run', {command})).isError, false);
    assert.equal((await callTool(host, 'run', {command: 'touch b'})).isError, false); // session
    assert.equal((await callTool(host, 'run', {command: 'touch b'})).isError, false); // not asked again
    assert.equal(asked.length, 3);
    // An answer that was not offered is a no.
    assert.match((await callTool(host, 'run', {command: 'touch c'})).text, /denied/);
    const mute = await opened(t, as, files);
    const denied = await callTool(mute, 'run', {command: 'touch a'});
    assert.equal(denied.structured['reason'], 'ask_unavailable');
    assert.match((await callTool(mute, 'write', {path: 'a', content: ''})).text, /denied/);
    assert.match((await callTool(mute, 'read', {path: '.'})).text, /it is a folder/); // reading never asks
  });

  it('a thousand calls at the same time lose nothing', async (t) => {
    const host = await opened(t, as);
    await Promise.all(
      Array.from({length: 250}, (_, index) =>
        callTool(host, 'write', {path: `f${index}`, content: `${index}\n`}),
      ),
    );
    const calls = Array.from({length: 750}, async (_, index) => {
      const which = index % 250;
      const {text} =
        index % 50 === 0
          ? await callTool(host, 'run', {command: `cat f${which}`}, {timeout: 120_000})
          : await callTool(host, 'read', {path: `f${which}`}, {timeout: 120_000});
      assert.equal(text, `${which}\n`, text);
    });
    await Promise.all(calls);
  });

  it('wrong lines get an error and do no harm', async (t) => {
    const host = await opened(t, as);
    const lines = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}',
      '{',
      Buffer.from([0xff, 0xfe, 0x0a]),
      '[]',
      '[1,2]',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":99999,"result":{}}',
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"run","arguments":{"command":7}}}',
      '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}',
      `"${'x'.repeat(17_000_000)}"`,
    ];
    for (const line of lines) {
      host.child.stdin!.write(line);
      host.child.stdin!.write('\n');
    }
    assert.equal((await callTool(host, 'run', {command: 'echo still here'})).text, 'still here\n');
  });
}

/** Pids of all processes below `pid` that are workers. */
function workersBelow(pid: number): number[] {
  return processes()
    .filter(({pid: one, line}) => line.includes('--max-old-space-size') && isBelow(one, pid))
    .map((one) => one.pid);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly line: string;
}

function processes(): Process[] {
  return readdirNumbers().flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return [{pid, parent, line: readFileSync(`/proc/${pid}/cmdline`, 'utf8')}];
    } catch {
      return [];
    }
  });
}

function readdirNumbers(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0);
}

function isBelow(pid: number, ancestor: number): boolean {
  const all = new Map(processes().map((one) => [one.pid, one.parent]));
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = all.get(at))
    if (at === ancestor) return true;
  return false;
}

function named(name: string): Process[] {
  return processes().filter(({line}) => line.startsWith(name));
}

async function noneBelow(pid: number | undefined, name: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = named(name).filter((one) => pid === undefined || isBelow(one.pid, pid));
    if (left.length === 0) return;
    assert.ok(tries < 300, `still running: ${left.map(({line}) => line).join()}`);
    await wait(50);
  }
}
