import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import assert from 'node:assert/strict';
import {takeLockFile, withLockFile} from '../../../src/system/lock-file.ts';

function lockIn(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-lock-'));
  context.after(() => rmSync(folder, {recursive: true}));
  return path.join(folder, 'lock');
}

function age(file: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(file, then, then);
}

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid;
}

test('the lock exists during the use, and not after it or after a failure', (context) => {
  const lock = lockIn(context);
  assert.equal(
    withLockFile(lock, () => existsSync(lock)),
    true,
  );
  assert.throws(() =>
    withLockFile(lock, () => {
      throw new Error('x');
    }),
  );
  assert.deepEqual(readdirSync(path.dirname(lock)), []);
});

test('ion waits for a held lock, but not for ever', (context) => {
  const lock = lockIn(context);
  writeFileSync(lock, String(process.pid));
  age(lock, 60);
  assert.throws(() => withLockFile(lock, () => undefined, 100), {code: 'ETIMEDOUT'});
  assert.equal(existsSync(lock), true);
});

for (const [name, content, seconds, taken] of [
  ['of a process that died', String(deadPid()), 60, true],
  ['of a process that looks dead, but is fresh', String(deadPid()), 0, false],
  ['of a process that died, before the clock was set back', String(deadPid()), -3600, true],
  ['without an owner', '', 60, true],
  ['without an owner yet', '', 0, false],
] as const) {
  test(`a lock ${name} is ${taken ? '' : 'not '}taken over`, (context) => {
    const lock = lockIn(context);
    writeFileSync(lock, content);
    age(lock, seconds);
    const use = () => withLockFile(lock, () => 'used', 200);
    if (taken) assert.equal(use(), 'used');
    else assert.throws(use, {code: 'ETIMEDOUT'});
    assert.equal(existsSync(lock), !taken);
  });
}

test('a wait for a long lock does not block the process', async (context) => {
  const lock = lockIn(context);
  const giveBack = await takeLockFile(lock, 1000);
  let held = true;
  const next = takeLockFile(lock, 5000).then((giveNextBack) => {
    assert.equal(held, false);
    giveNextBack();
  });
  await assert.rejects(takeLockFile(lock, 100), {code: 'ETIMEDOUT'});
  held = false;
  giveBack();
  await next;
  assert.deepEqual(readdirSync(path.dirname(lock)), []);
});

test('a lock that another process has taken over is not released', async (context) => {
  const lock = lockIn(context);
  const giveBack = await takeLockFile(lock, 1000);
  writeFileSync(lock, String(deadPid()));
  giveBack();
  assert.equal(existsSync(lock), true);
});
