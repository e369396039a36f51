import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {callTool, connectMcp} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {until} from '../harness/processes.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';
import {openTerminal} from '../harness/terminal.ts';

const server = readFileSync(path.join(repository, 'test/mcp/hostile-server.mjs'), 'utf8');

for (const as of testers)
  test(`mcp accept: on a terminal, exactly what was shown is accepted (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'server.mjs': server});
    const wrap = (description: string): string[] => [
      ...['mcp', 'wrap', '--name', 'x', '--', 'node', 'server.mjs'],
      description,
    ];
    /** Whether `echo` is listed with this description. */
    const isListed = async (description: string): Promise<boolean> => {
      const {client} = await connectMcp(t, scratch, wrap(description), {as});
      const {tools} = await client.listTools();
      await client.close();
      return tools.some(({name}) => name === 'echo');
    };
    const terminal = openTerminal(scratch, as);
    t.after(() => terminal.close());
    const question = /Accept these definitions of "x"\? y \/ N: $/;
    const asks = async (): Promise<void> => {
      terminal.line('clear; ion mcp accept x echo');
      await until('the question', () => question.test(terminal.screen().trimEnd() + ' '));
    };
    /** Keys typed too early do not count: types until there is an effect. */
    const answers = async (key: string, effect: string): Promise<void> => {
      for (let tries = 0; tries < 5 && !terminal.screen().includes(effect); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        terminal.keys(key, 'Enter');
        await until(effect, () => terminal.screen().includes(effect), 3_000).catch(() => false);
      }
      assert.ok(terminal.screen().includes(effect), terminal.screen());
    };
    const changed = 'other\u001b[2J\nion: all is well';

    assert.equal(await isListed('first'), true);
    assert.equal(await isListed(changed), false);
    const before = await connectMcp(t, scratch, wrap(changed), {as});
    const refused = await callTool(before, 'echo', {value: 1});
    assert.match(refused.text, /its definition has changed[^]*help: ask the user; denial [\da-f]{32}-1\n$/);
    const id = /[\da-f]{32}-1/.exec(refused.text)![0];
    const why = await runIon(scratch, ['why', id], {as});
    assert.match(why.stdout, /help: to see and accept it: ion mcp accept x echo\n$/);
    await asks();
    const shown = [
      'echo: changed',
      '  description',
      '    - "first"',
      String.raw`    + "other\u001b[2J\nion: all is well"`,
      '',
      'Accept these definitions of "x"? y / N:',
    ];
    assert.ok(terminal.screen().includes(shown.join('\n')), terminal.screen());
    await answers('n', 'nothing was accepted');
    assert.equal(await isListed(changed), false);

    await asks();
    assert.equal(await isListed('swapped while the user reads'), false);
    await answers('y', 'accepted: echo');
    assert.match((await callTool(before, 'echo', {value: 1})).text, /^1$/, 'without another list');
    await before.client.close();
    assert.equal(await isListed('swapped while the user reads'), false, 'never shown');
    assert.equal(await isListed(changed), true);
  });
