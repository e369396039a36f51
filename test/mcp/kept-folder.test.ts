import assert from 'node:assert/strict';
import {mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {callTool, connectMcp} from '../harness/mcp.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

for (const as of testers)
  test(`mcp: run keeps its folder if asked, and never one outside (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {
      'src/deep/a': 'deep\n',
      '~/out/a': 'outside\n',
      way: {link: '../out'},
      inner: {link: 'src/deep'},
      file: 'x',
    });
    const host = await connectMcp(t, scratch, ['mcp'], {as});
    const run = (input: object) => callTool(host, 'run', {command: 'pwd', ...input});
    const at = async (folder: string, input: object = {}): Promise<void> =>
      assert.equal((await run(input)).text, `${path.join(scratch.work, folder)}\n`);
    const kept = path.join(scratch.work, 'src/deep');

    await at('src', {cwd: 'src'});
    await at(''); // one call only
    await at('src/deep', {cwd: 'inner', keep_cwd: true});
    await at('src/deep');
    await at('src', {command: 'cd ..; pwd'});
    await at('src/deep'); // what a command does with cd does not count
    assert.equal((await callTool(host, 'run_read', {command: 'cat a'})).text, 'deep\n');

    const outside = [
      '../out',
      'way',
      '/',
      '/proc/self/root',
      'missing',
      'file',
      'a\0b',
      '/proc/self/cwd/../out',
    ];
    for (const cwd of outside) {
      const {isError, text} = await run({cwd, keep_cwd: true});
      assert.equal(isError, true, `${cwd}: ${text}`);
      assert.match(text, /help: choose a folder in the workspace/);
      assert.doesNotMatch(text, /read_roots/);
      await at('src/deep'); // still the kept one
    }

    const hostile: readonly (() => void)[] = [
      () => undefined,
      () => symlinkSync(path.join(scratch.home, 'out'), kept),
      () => symlinkSync(scratch.work, kept),
      () => writeFileSync(kept, ''),
    ];
    for (const replace of hostile) {
      rmSync(kept, {recursive: true, force: true});
      mkdirSync(kept);
      giveTo(scratch.work, as);
      await at('src/deep', {cwd: 'src/deep', keep_cwd: true});
      rmSync(kept, {recursive: true});
      replace();
      const {isError, text} = await run({command: 'cat a; touch made'});
      assert.equal(isError, true, text);
      assert.match(text, /the kept folder ".*deep" is no longer there/);
      await at('');
    }
  });
