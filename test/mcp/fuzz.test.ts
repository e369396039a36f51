import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {test, type TestContext} from 'node:test';
import {isFull} from '../harness/extent.ts';
import {plain} from '../harness/identity.ts';
import {repository} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';
import {fuzzLine, random} from './fuzz-lines.mjs';

const seed = Number(process.env['ION_FUZZ_SEED'] ?? 24);
const lines = isFull ? 100_000 : 400;
/** After so many random lines a good request must be answered. */
const between = 100;
const own = (name: string): string => readFileSync(path.join(repository, 'test/mcp', name), 'utf8');

const wrap = ['mcp', 'wrap', '--name', 'x', '--', 'node', 'server.mjs', String(seed)];
const targets: readonly (readonly [string, readonly string[], 'client' | 'server'])[] = [
  ['the host of ion mcp', ['mcp'], 'client'],
  ['the host of ion mcp wrap', wrap, 'client'],
  ['the server of ion mcp wrap', wrap, 'server'],
];

/** Speaks to ion in lines, without a client between. */
function connect(t: TestContext, args: readonly string[]) {
  const files = {'server.mjs': own('fuzz-server.mjs'), 'fuzz-lines.mjs': own('fuzz-lines.mjs')};
  const scratch = makeScratch(t, plain, files);
  const child = startIon(scratch, args, {as: plain, buffer: false});
  scratch.companions.push(child);
  child.stderr!.resume();
  const waiting = new Map<unknown, (answer: Record<string, unknown>) => void>();
  createInterface({input: child.stdout!}).on('line', (line) => {
    const answer = JSON.parse(line) as Record<string, unknown>; // what ion writes is always JSON
    waiting.get(answer['method'] === undefined ? answer['id'] : undefined)?.(answer);
  });
  const write = async (bytes: Buffer | string): Promise<void> => {
    if (!child.stdin!.write(bytes)) await Promise.race([once(child.stdin!, 'drain'), once(child, 'exit')]);
  };
  let number = 0;
  const ask = async (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    const id = `good-${++number}`;
    const answer = new Promise<Record<string, unknown>>((resolve, reject) => {
      const late = (): void => reject(new Error(`no answer to ${id}, exit ${child.exitCode}, seed ${seed}`));
      const timer = setTimeout(late, 60_000 * patience);
      waiting.set(id, (got) => {
        clearTimeout(timer);
        resolve(got);
      });
    });
    await write(`${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`);
    const got = await answer;
    waiting.delete(id);
    return got;
  };
  return {ask, write, child};
}

for (const [name, args, side] of targets)
  test(`${lines} random lines of ${name}: the next good request is answered`, async (t) => {
    const {ask, write, child} = connect(t, args);
    const started = await ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: {name: 'fuzz', version: '1'},
    });
    assert.ok(started['result'], JSON.stringify(started));
    await write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const next = random(seed);
    for (let done = 0; done < lines; done += between) {
      if (side === 'server') {
        const {result} = await ask('tools/call', {name: 'noise', arguments: {lines: between}});
        assert.match(JSON.stringify(result), /said/);
        continue;
      }
      for (let count = 0; count < between; count++) {
        const line = fuzzLine(next);
        const at = next(line.length); // a line arrives in two parts
        await write(line.subarray(0, at));
        await write(line.subarray(at));
      }
      const {result} = await ask('tools/list');
      assert.match(JSON.stringify(result), /"name":"(?:run|noise)"/);
    }
    assert.equal(child.exitCode, null);
  });
