/**
 * The boundary of the file tools without their decision: as if ion had resolved each path wrongly. A program in the worker's
 * place opens it as it is given.
 */
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {closeSync, openSync, readFileSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import type {Readable} from 'node:stream';
import {openFileWorker} from '../../src/mcp/server/file-worker.ts';
import {shellWord} from '../../src/shell/quote.ts';
import {own} from '../harness/identity.ts';
import {packageRoot} from '../harness/package.ts';
import {environmentOf} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Opens without any of the worker's own care. */
const naive = `const fs = require('fs');
for (const file of JSON.parse(process.argv[1])) {
  try { console.log(fs.readFileSync(fs.openSync(file, fs.constants.O_NONBLOCK), 'latin1')); } catch (error) { console.log(error.code); }
  if (!file.includes('/etc/') && !file.endsWith('/environ')) try { fs.appendFileSync(file, 'SECRET\\n'); } catch {}
}`;

test('file tools: the kernel holds paths that ion would have resolved wrongly', async (t) => {
  const scratch = makeScratch(t, own, {'~/secret': 'SECRET\n', '~/out/f': 'SECRET\n', 'a.txt': 'hello\n'});
  const {home, work} = scratch;
  const secret = path.join(home, 'secret');
  symlinkSync('../out', path.join(work, 'way'));
  const open = openSync(secret, 'r+');
  t.after(() => closeSync(open));
  const outside = [
    secret,
    '../secret',
    'way/f',
    `/proc/self/root${secret}`,
    `/proc/thread-self/root${secret}`,
    `/proc/1/root${secret}`,
    `/proc/${process.pid}/root${secret}`,
    `/proc/${process.pid}/cwd/../secret`,
    `/proc/${process.pid}/fd/${open}`,
    `/proc/${process.ppid}/root${secret}`,
    `${'../'.repeat(60)}${secret}`,
    '/etc/passwd',
    '/proc/self/root/etc/passwd',
    `/proc/${process.pid}/environ`,
    `/proc/${process.ppid}/environ`,
  ];
  const worker = await openFileWorker(
    {
      packageRoot,
      cwd: work,
      home,
      otherHomes: [],
      machineConfig: '/nonexistent',
      environment: environmentOf(scratch),
      uid: process.getuid!(),
      node: process.execPath,
    },
    {for: 'library'},
  );
  t.after(() => worker.close());
  const openAll = async (paths: readonly string[]): Promise<string> => {
    const words = [process.execPath, '-e', naive, JSON.stringify(paths)].map(shellWord).join(' ');
    const {stdio, outcome} = await worker.session.start(`exec ${words}`, {
      stdio: ['ignore', 'pipe', 'pipe'],
      environment: {OPENSSL_CONF: '/dev/null'},
    });
    const said = await text(stdio[1] as Readable);
    await outcome;
    return said;
  };
  assert.equal(await openAll(['a.txt']), 'hello\n\n', 'what is inside can be opened');
  assert.doesNotMatch(await openAll(outside), /SECRET|root:|PATH=/);
  for (const one of [secret, path.join(home, 'out/f')])
    assert.equal(readFileSync(one, 'utf8'), 'SECRET\n', one);
  const words = ['-e', naive, JSON.stringify(outside)];
  const unconfined = spawnSync(process.execPath, words, {cwd: work, encoding: 'utf8'}).stdout;
  assert.ok(
    unconfined.split('SECRET').length > 8 && /root:/.test(unconfined),
    'each works outside the sandbox',
  );
});
