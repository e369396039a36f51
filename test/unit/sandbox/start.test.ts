import {mkdtempSync, rmSync} from 'node:fs';
import type {Readable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {parseProcesses, treeOf} from '../../../src/sandbox/app-level/process-rows.ts';
import {limitedArgv} from '../../../src/sandbox/app-level/plain-limits.ts';
import {startUnconfined, type PlainLaunch} from '../../../src/sandbox/app-level/start-unconfined.ts';
import type {LaunchLimits} from '../../../src/sandbox/launch.ts';
import type {RunEvent} from '../../../src/sandbox/run-event.ts';

const mac = process.platform === 'darwin';

function launch(script: string, limits: LaunchLimits = {}, onEvent?: PlainLaunch['onEvent']): PlainLaunch {
  return {
    argv: ['/bin/bash', '--norc', '-c', script],
    cwd: '/tmp',
    environment: {PATH: '/usr/bin:/bin'},
    limits,
    stdio: ['ignore', 'pipe', 'ignore'],
    onEvent,
  };
}

async function run(script: string, limits?: LaunchLimits): Promise<{code: number | undefined; text: string}> {
  const running = startUnconfined(launch(script, limits));
  const text = allOf(running.stdio[1]!);
  const {code} = await running.outcome;
  return {code, text: await text};
}

/** Reads to the end: output may arrive after the process has ended. */
async function allOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().trim();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await sleep(20);
  return !isAlive(pid);
}

test('ends like the command', async () => {
  assert.equal((await startUnconfined(launch('exit 3')).outcome).code, 3);
  const {code, signal, usage} = await startUnconfined(launch('kill -9 $$')).outcome;
  assert.deepEqual({code, signal, usage}, {code: undefined, signal: 9, usage: undefined});
});

test('background processes die with the run, even if they ignore signals', async () => {
  const {text} = await run("(trap '' TERM HUP INT; exec >&-; exec sleep 60) & echo $!");
  assert.ok(await untilDead(Number(text)));
});

test('a time limit ends the whole group', async () => {
  const running = startUnconfined(launch('sleep 60 & echo $!; wait', {timeoutMs: 200}));
  const text = allOf(running.stdio[1]!);
  const {because, asked} = await running.outcome;
  assert.deepEqual({because, asked}, {because: 'timeout', asked: 15});
  assert.ok(await untilDead(Number(await text)));
});

test('a signal reaches the command', async () => {
  const running = startUnconfined(launch("trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"));
  running.stdio[1]!.once('data', () => running.signal('SIGTERM'));
  const {code, because, asked} = await running.outcome;
  assert.deepEqual({code, because, asked}, {code: 9, because: 'signal', asked: 15});
});

test('limits become words for a bash that the command replaces', async () => {
  assert.deepEqual(limitedArgv(['x', 'a b'], {}), ['x', 'a b']);
  const argv = limitedArgv(['x', 'a b'], {openFiles: 20, fileSizeBytes: 4096, cpuSeconds: 5});
  assert.deepEqual(argv.slice(-9), ['-n', '20', '-f', '4', '-t', '5', '--', 'x', 'a b']);
  assert.equal((await run('ulimit -n', {openFiles: 64})).text, '64');
  assert.equal((await run('ulimit -t', {cpuSeconds: 7})).text, '7');
  const file = `/tmp/ion-limit-${process.pid}`;
  const {code} = await run(`head -c 100000 /dev/zero > ${file}; c=$?; rm ${file}; exit $c`, {
    fileSizeBytes: 4096,
  });
  assert.notEqual(code, 0);
});

test('exceeding the memory limit ends the run, and is reported', {skip: mac ? 'slow' : false}, async () => {
  const events: RunEvent[] = [];
  const eat = 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); sleep 30; echo ${#x}';
  const {because} = await startUnconfined(
    launch(eat, {memoryBytes: 50_000_000}, (event) => events.push(event)),
  ).outcome;
  assert.equal(because, 'limit');
  assert.equal(events[0]?.kind === 'limit' && events[0].limit, 'memory');
});

test('exceeding the disk limit ends the run, and is reported', async (t) => {
  const folder = mkdtempSync('/var/tmp/ion-disk-');
  t.after(() => rmSync(folder, {recursive: true, force: true}));
  const events: RunEvent[] = [];
  const script = `for i in {1..40}; do head -c 10M /dev/zero > ${folder}/$i; done; sleep 5`;
  const filler = launch(script, {diskBytes: 300 << 20}, (event) => events.push(event));
  const {because} = await startUnconfined({...filler, diskRoots: [folder]}).outcome;
  assert.equal(because, 'limit');
  assert.equal(events[0]?.kind === 'limit' && events[0].limit, 'disk');
});

test('exceeding the process limit ends the run', async () => {
  const {because} = await startUnconfined(
    launch('for i in 1 2 3 4 5 6; do sleep 30 & done; wait', {processes: 4}),
  ).outcome;
  assert.equal(because, 'limit');
});

test('the tree of a run: root, descendants, group', () => {
  const rows = parseProcesses('  10 1 10 5\n 11 10 10 5\n 12 11 12 5\n 13 1 10 5\n 14 1 14 5\nbad line\n');
  assert.equal(rows.length, 5);
  assert.deepEqual(
    treeOf(rows, 10, 10)
      .map(({pid}) => pid)
      .toSorted((a, b) => a - b),
    [10, 11, 12, 13],
  );
  // On a terminal the process group is ion's own, so only descendants count.
  assert.deepEqual(
    treeOf(rows, 11, undefined).map(({pid}) => pid),
    [11, 12],
  );
});
