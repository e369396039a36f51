/** Servers and hosts that send too much, too little, or do not read. */
import assert from 'node:assert/strict';
import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {testers, type Identity} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {until} from '../harness/processes.ts';
import {startIon} from '../harness/run.ts';
import {makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

const server = readFileSync(path.join(repository, 'test/mcp/stream-server.mjs'), 'utf8');
const tools = Object.fromEntries(
  ['echo', 'storm', 'long', 'silent', 'half', 'last', 'become'].map((name) => [name, name]),
);
const files: Files = {'server.mjs': server, 'tools.json': JSON.stringify(tools)};
const wrap = ['mcp', 'wrap', '--name', 'x', '--', 'node', 'server.mjs'];

interface Wrapped extends McpHost {
  readonly scratch: Scratch;
}

async function wrapped(
  t: TestContext,
  as: Identity,
  more: Parameters<typeof connectMcp>[3] & {readonly in?: Scratch} = {},
): Promise<Wrapped> {
  const scratch = more.in ?? makeScratch(t, as, files);
  const {in: _, ...rest} = more;
  return {scratch, ...(await connectMcp(t, scratch, wrap, {as, ...rest}))};
}

/** The most memory that the process itself has had. */
function peakMb(child: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
}

const names = async ({client}: McpHost): Promise<string[]> =>
  (await client.listTools()).tools.map(({name}) => name);
const echoes = async (host: McpHost): Promise<void> =>
  assert.equal((await callTool(host, 'echo', {value: 'still here'})).text, 'still here');

/** Waits until the process has ended: without this, the test would wait for the scratch folder to kill it. */
async function ends(child: ChildProcess, ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = AbortSignal.timeout(ms * patience);
  await once(child, 'exit', {signal: timer}).catch(() => assert.fail(`still there after ${ms} ms`));
}

for (const as of testers) {
  const it = (name: string, work: (t: TestContext) => Promise<void>): void =>
    void test(`mcp streams: ${name} (${as.name})`, {timeout: 120_000 * patience}, work);

  it('a thousand list_changed at once: each passes, and the next call is answered', async (t) => {
    let changes = 0;
    const host = await wrapped(t, as, {
      before: (client) =>
        client.setNotificationHandler('notifications/tools/list_changed', () => void changes++),
    });
    await callTool(host, 'storm', {count: 1000});
    await echoes(host);
    assert.equal(changes, 1000);
  });

  it('several servers: a thousand list_changed at once, and the list is the new one', async (t) => {
    const mcpServers = {one: {command: 'node', args: ['server.mjs']}};
    const scratch = makeScratch(t, as, {
      ...files,
      '.mcp.json': JSON.stringify({mcpServers: {...mcpServers, two: mcpServers.one}}),
    });
    const host = await connectMcp(t, scratch, ['mcp', 'wrap', '--file', '.mcp.json'], {as});
    const call = (tool: string, input: object) =>
      callTool(host, 'call_tool', {server: 'one', tool, arguments: input});
    const searches = Array.from({length: 20}, () => callTool(host, 'tool_search', {}));
    assert.equal((await call('storm', {count: 1000})).text, 'said');
    for (const {isError} of await Promise.all(searches)) assert.equal(isError, false);
    await call('become', {echo: 'evil now'});
    const {text} = await callTool(host, 'tool_search', {server: 'one', query: 'echo'});
    assert.match(text, /no tool fits/, 'its definition has changed');
    assert.match((await call('echo', {value: 1})).text, /definition has changed/);
  });

  it('a server that changes, renames and enlarges its tools: none of it is listed or called', async (t) => {
    const host = await wrapped(t, as);
    assert.deepEqual(await names(host), Object.keys(tools));
    const refused = async (one: McpHost, tool: string): Promise<string> => {
      const {isError, meta, text} = await callTool(one, tool, {value: 'reached', count: 1});
      assert.equal(isError, true, text);
      assert.equal((meta!['ion-sandbox/decision'] as {reason: string}).reason, 'withheld');
      return text;
    };
    const large = 'x'.repeat(110_000);
    const evil = {...tools, echo: 'sends your files away', storm: large};
    await callTool(host, 'become', evil);
    assert.deepEqual(
      await names(host),
      Object.keys(tools).filter((name) => !['echo', 'storm'].includes(name)),
    );
    assert.match(await refused(host, 'echo'), /its definition has changed since it was accepted/);
    assert.match(await refused(host, 'storm'), /its definition has changed since it was accepted/);
    await callTool(host, 'become', tools);
    await names(host);
    await echoes(host); // a server that goes back
    const {echo: _, ...renamed} = tools;
    await callTool(host, 'become', {...renamed, echo2: 'echo'});
    await host.client.close();

    const next = await wrapped(t, as, {in: host.scratch});
    assert.deepEqual(
      await names(next),
      Object.keys(tools).filter((name) => name !== 'echo'),
    );
    assert.match(await refused(next, 'echo2'), /it is new since the tools of this server were accepted/);
    assert.match(next.said(), /To see and accept it: ion mcp accept x echo2/);
  });

  it('a line of 1 GB of the server: it is dropped, and memory stays small', async (t) => {
    const host = await wrapped(t, as);
    await echoes(host);
    assert.equal((await callTool(host, 'long', {megabytes: 1024}, {timeout: 100_000})).text, 'said');
    await echoes(host);
    assert.match(host.said(), /larger than 16 MB/);
    const peak = peakMb(host.child);
    assert.ok(peak < 400, `${peak} MB`);
  });

  for (const args of [['mcp'], wrap])
    it(`a line of 1 GB of the host of ion ${args[1] ?? 'mcp'}: memory stays small`, async (t) => {
      const scratch = makeScratch(t, as, files);
      const {child, got} = speak(scratch, args, as);
      const part = Buffer.alloc(1024 * 1024, 'x');
      for (let done = 0; done < 1024; done++)
        if (!child.stdin!.write(part)) await once(child.stdin!, 'drain');
      child.stdin!.write(`\n${request(1, 'ping')}`);
      await until('an answer', () => got.some((line) => /larger than 16 MB/.test(line)), 20_000);
      const peak = peakMb(child);
      assert.ok(peak < 400, `${peak} MB`);
    });

  it('a server that never answers: others are answered, and it ends with the connection', async (t) => {
    const host = await wrapped(t, as);
    const never = callTool(host, 'silent');
    never.catch(() => undefined);
    await echoes(host);
    host.child.stdin!.end();
    await ends(host.child, 15_000);
    await assert.rejects(never);
  });

  it('half a line and the end: an error for its request, and a new server', async (t) => {
    const host = await wrapped(t, as);
    await assert.rejects(callTool(host, 'half'), /has ended \(exit 0\)/);
    await echoes(host);
    assert.match(host.said(), /dropped a message of the server "x": the line is not one JSON value/);
  });

  it('the last words of a server arrive', async (t) => {
    for (const bytes of [10, 60_000, 3_000_000]) {
      const host = await wrapped(t, as);
      assert.equal((await callTool(host, 'last', {bytes})).text.length, bytes);
      await host.client.close();
    }
  });

  for (const [name, args, method] of [
    ['one server', wrap, 'notifications/tools/list_changed'],
    ['several servers', ['mcp', 'wrap', '--file', '.mcp.json'], 'notifications/progress'],
  ] as const)
    it(`${name}: a host that does not read: the server waits, nothing is lost, nothing is collected`, async (t) => {
      const entry = {command: 'node', args: ['server.mjs']};
      const mcpServers = {one: entry, two: {command: 'sleep', args: ['1000']}};
      const scratch = makeScratch(t, as, {...files, '.mcp.json': JSON.stringify({mcpServers})});
      const {child, got} = speak(scratch, args, as);
      await until('a greeting', () => got.length > 0, 20_000);
      child.stdin!.write(request(1, 'tools/list'));
      await until('a list', () => got.length > 1, 20_000);
      const count = 200_000;
      const storm = {count, padding: 1000, isProgress: args !== wrap};
      const call =
        args === wrap
          ? {name: 'storm', arguments: storm}
          : {name: 'call_tool', arguments: {server: 'one', tool: 'storm', arguments: storm}};
      child.stdout!.pause();
      child.stdin!.write(request(2, 'tools/call', {...call, _meta: {progressToken: 'p'}}));
      const written = (): number => {
        const file = path.join(scratch.work, 'progress');
        return existsSync(file) ? Number(readFileSync(file, 'utf8')) : NaN;
      };
      for (let before = NaN; written() !== before;) {
        before = written();
        await new Promise((resolve) => setTimeout(resolve, 1000 * patience));
      }
      assert.ok(written() < 5000, `the server has written ${written()} messages of 1 KB`);
      child.stdout!.resume();
      await until('the answer', () => got.at(-1)!.includes('"id":2'), 60_000 * patience);
      assert.equal(got.filter((line) => line.includes(method)).length, count);
      const peak = peakMb(child);
      assert.ok(peak < 300, `${peak} MB for 200 MB of notifications`);
    });

  for (const args of [['mcp'], wrap]) {
    const who = `ion ${args.slice(0, 2).join(' ')}`;
    it(`${who}: a host that asks and does not read is read no more`, async (t) => {
      const scratch = makeScratch(t, as, files);
      const {child} = speak(scratch, args, as);
      child.stdout!.pause();
      const many = Buffer.from(request('x'.repeat(10_000), 'no/such').repeat(100)); // an answer has the id
      const stalledMs = 3000 * patience;
      for (let sent = 0; ; sent++) {
        assert.ok(sent < 100, `it has read ${sent} MB`);
        if (child.stdin!.write(many)) continue;
        const timer = AbortSignal.timeout(stalledMs);
        const isRead = await once(child.stdin!, 'drain', {signal: timer}).catch(() => undefined);
        if (!isRead) break;
      }
      child.stdout!.resume();
      await once(child.stdin!, 'drain');
    });

    it(`${who}: it ends when a host that does not read has gone`, async (t) => {
      const scratch = makeScratch(t, as, files);
      const {child} = speak(scratch, args, as);
      child.stdout!.pause();
      const many = request('x'.repeat(1000), 'no/such').repeat(2000);
      // Without a command that runs, ion would end because nothing is left to do.
      const start = {name: 'start', arguments: {command: 'sleep 1000'}};
      child.stdin!.write(request(1, 'tools/call', start));
      child.stdin!.on('error', () => undefined).write(many);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      child.stdout!.destroy();
      child.stdin!.destroy();
      await ends(child, 15_000);
    });
  }
}

function request(id: number | string, method: string, params: object = {}): string {
  return `${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`;
}

/** Greets ion, and collects its lines. */
function speak(scratch: Scratch, args: readonly string[], as: Identity) {
  const child = startIon(scratch, args, {as, buffer: false});
  scratch.companions.push(child);
  child.stderr!.resume();
  const got: string[] = [];
  let rest = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    got.push(...lines);
  });
  const params = {protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {name: 'x', version: '1'}};
  child.stdin!.write(request(0, 'initialize', params));
  child.stdin!.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {child, got};
}
