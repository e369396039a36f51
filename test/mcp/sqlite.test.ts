/** A server whose state is a database in a folder of its own: locks and shared memory work between two boundaries. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {testers, type Identity} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

const server = readFileSync(path.join(repository, 'test/mcp/sqlite-server.py'), 'utf8');
const folder = '.local/share/notes';

const kept = (t: TestContext, as: Identity): Scratch =>
  makeScratch(t, as, {
    'server.py': server,
    [`~/${folder}/`]: '',
    '~/.ion/config.toml': `[mcp.notes]\nwrite_roots = ["~/${folder}"]\n`,
  });

/** `waitSeconds`: how long the server waits for a lock. */
const open = (t: TestContext, as: Identity, scratch: Scratch, waitSeconds: number): Promise<McpHost> => {
  const file = path.join(scratch.home, folder, 'notes.db');
  const command = ['python3', 'server.py', file, String(waitSeconds)];
  return connectMcp(t, scratch, ['mcp', 'wrap', '--name', 'notes', '--', ...command], {as});
};

async function run(host: McpHost, statement: string): Promise<unknown> {
  const {text, isError} = await callTool(host, 'run', {statement});
  assert.equal(isError, false, text);
  return JSON.parse(text);
}

const count = (who: string): string => `SELECT count(*) FROM notes WHERE who = '${who}'`;

for (const as of testers) {
  test(`sqlite: two instances write to one database in WAL mode (${as.name})`, async (t) => {
    const scratch = kept(t, as);
    const [one, two] = await Promise.all([open(t, as, scratch, 30), open(t, as, scratch, 30)]);
    assert.equal((await callTool(one, 'mode')).text, '[["wal"]]');
    const added = [one, two, one, two].map((host, index) =>
      callTool(host, 'add', {who: `w${index % 2}`, count: 50}, {timeout: 60_000}),
    );
    for (const {text} of await Promise.all(added)) assert.equal(text, 'added');
    for (const host of [one, two])
      for (const who of ['w0', 'w1']) assert.deepEqual(await run(host, count(who)), [[100]]);
    assert.deepEqual(await run(two, 'PRAGMA integrity_check'), [['ok']]);
    assert.deepEqual(readdirSync(path.join(scratch.home, folder)).sort(), [
      'notes.db',
      'notes.db-shm',
      'notes.db-wal',
    ]);
  });

  test(`sqlite: a lock of one instance holds for the other, and ends when its ion is killed (${as.name})`, async (t) => {
    const scratch = kept(t, as);
    const [one, two] = await Promise.all([open(t, as, scratch, 0), open(t, as, scratch, 0)]);
    await run(one, 'BEGIN IMMEDIATE');
    await run(one, "INSERT INTO notes VALUES ('half', 1)");
    assert.deepEqual(await run(two, count('half')), [[0]], 'a reader does not wait');
    const locked = await callTool(two, 'add', {who: 'two', count: 1});
    assert.match(locked.text, /database is locked/);
    assert.doesNotMatch(locked.text, /ion: blocked/);
    one.child.kill('SIGKILL');
    await once(one.child, 'exit');
    let text = '';
    for (let tries = 0; tries < 100 && text !== 'added'; tries++)
      ({text} = await callTool(two, 'add', {who: 'two', count: 1}));
    assert.equal(text, 'added');
    assert.deepEqual(await run(two, count('half')), [[0]], 'what was not committed is gone');
    assert.deepEqual(await run(two, 'PRAGMA integrity_check'), [['ok']]);
  });

  test(`sqlite: a database elsewhere is refused, and the result says so (${as.name})`, async (t) => {
    const scratch = kept(t, as);
    const host = await open(t, as, scratch, 1);
    const other = path.join(scratch.home, 'other.db');
    const {text, isError} = await callTool(host, 'run', {statement: `ATTACH '${other}' AS other`});
    assert.equal(isError, true);
    assert.match(text, /unable to open database/);
    assert.match(text, /ion: blocked: "python3[^"]*" could not write ".*other\.db"/);
    assert.equal(existsSync(other), false);
    assert.equal((await callTool(host, 'add', {who: 'x', count: 1})).text, 'added');
  });
}
