// The figures of MCP: the start of `ion mcp`, a file of 10 KB, and the time that the gateway adds to a message.
import {spawn} from 'node:child_process';
import {copyFileSync, mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {environment, median} from './measure.mjs';

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: {name: 'bench', version: '1'},
};

/** A client that sends requests as lines. */
class Client {
  #waiting = new Map();
  #ids = 0;

  constructor(command, args, cwd) {
    this.child = spawn(command, args, {cwd, env: environment, stdio: ['pipe', 'pipe', 'inherit']});
    createInterface({input: this.child.stdout}).on('line', (line) => {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  request(method, params = {}) {
    const id = ++this.#ids;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`);
    return answer;
  }

  call(name, input) {
    return this.request('tools/call', {name, arguments: input});
  }

  async close() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    await ended;
  }
}

async function timed(work) {
  const before = performance.now();
  const result = await work();
  return [performance.now() - before, result];
}

/** The time until the answer to `initialize`. */
async function readyIn(command, args, cwd) {
  const client = new Client(command, args, cwd);
  const [ms] = await timed(() => client.request('initialize', initialize));
  await client.close();
  return ms;
}

export async function mcp({report, root, scratch, ion, node, rounds}) {
  const cwd = path.join(scratch, 'mcp');
  mkdirSync(cwd);
  const server = path.join(cwd, 'server.mjs');
  copyFileSync(path.join(root, 'test/bench/mcp-server.mjs'), server);
  writeFileSync(path.join(cwd, 'file'), `${'0123456789abcde\n'.repeat(640)}`);
  await starts({report, ion, node, rounds, cwd, server});
  await reads({report, ion, cwd});
  await messages({report, ion, node, cwd, server});
}

async function starts({report, ion, node, rounds, cwd, server}) {
  const [own, wrapped, plain] = [[], [], []];
  for (let round = -1; round < rounds; round++) {
    const times = [
      await readyIn(ion, ['mcp'], cwd),
      await readyIn(ion, ['mcp', 'wrap', '--', node, server], cwd),
      await readyIn(node, [server], cwd),
    ];
    if (round < 0) continue;
    [own, wrapped, plain].forEach((list, index) => list.push(times[index]));
  }
  report.ratio('ion mcp is ready', own, ['a server in Node', plain], '<= 250 ms');
  report.ratio('ion mcp wrap is ready', wrapped, ['the server itself', plain]);
}

async function reads({report, ion, cwd}) {
  const client = new Client(ion, ['mcp'], cwd);
  await client.request('initialize', initialize);
  const [first] = await timed(() => client.call('read', {path: 'file'}));
  const times = [];
  for (let round = 0; round < 300; round++) {
    const [ms, {result}] = await timed(() => client.call('read', {path: 'file'}));
    if (result.content[0].text.length !== 10_240) throw new Error(JSON.stringify(result));
    times.push(ms);
  }
  report.row('the first read, with the start of the worker', first.toFixed(1), '', '', '', '');
  report.row('a read of 10 KB', median(times).toFixed(2), '', '', '', '<= 3 ms');
  const all = await Promise.all(Array.from({length: 1000}, () => client.call('read', {path: 'file'})));
  const good = all.filter(({result}) => result?.content[0].text.length === 10_240).length;
  report.row('1,000 reads at once', `${good} answered`, '', '', '', '1,000');
  await client.close();
}

/** Pings are only passed on. A call is decided and recorded too. */
async function messages({report, ion, node, cwd, server}) {
  const wrapped = new Client(ion, ['mcp', 'wrap', '--', node, server], cwd);
  const plain = new Client(node, [server], cwd);
  for (const client of [wrapped, plain]) {
    await client.request('initialize', initialize);
    await client.request('tools/list');
  }
  const kinds = {
    'a ping through the gateway': [(client) => client.request('ping'), '<= +0.3 ms a message'],
    'a call through the gateway': [(client) => client.call('echo', {value: 'x'}), ''],
  };
  for (const [name, [send, goal]] of Object.entries(kinds)) {
    const [through, direct] = [[], []];
    for (let round = -100; round < 1000; round++) {
      const [mine] = await timed(() => send(wrapped));
      const [theirs] = await timed(() => send(plain));
      if (round < 0) continue;
      through.push(mine);
      direct.push(theirs);
    }
    report.difference(name, through, ['the server itself', direct], goal);
  }
  const [ms, all] = await timed(() =>
    Promise.all(Array.from({length: 1000}, (_, index) => wrapped.call('echo', {value: String(index)}))),
  );
  const good = all.filter(({result}, index) => result?.content[0].text === String(index)).length;
  report.row('1,000 calls at once', `${good} answered in ${ms.toFixed(0)} ms`, '', '', '', '1,000');
  await Promise.all([wrapped.close(), plain.close()]);
}
