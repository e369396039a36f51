import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {connectMcp} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {until} from '../harness/processes.ts';
import {makeScratch} from '../harness/scratch.ts';
import {openTerminal} from '../harness/terminal.ts';

const server = readFileSync(path.join(repository, 'test/mcp/hostile-server.mjs'), 'utf8');

for (const as of testers)
  test(`mcp accept: on a terminal, exactly what was shown is accepted (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'server.mjs': server});
    /** Whether `echo` is listed with this description. */
    const isListed = async (description: string): Promise<boolean> => {
      const args = ['mcp', 'wrap', '--name', 'x', '--', 'node', 'server.mjs', description];
      const {client} = await connectMcp(t, scratch, args, {as});
      const {tools} = await client.listTools();
      await client.close();
      return tools.some(({name}) => name === 'echo');
    };
    const terminal = openTerminal(scratch, as);
    t.after(() => terminal.close());
    const question = /Accept these definitions of "x"\? y \/ N: $/;
    const asks = async (): Promise<void> => {
      terminal.line('clear; ion mcp accept x');
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
    assert.equal(await isListed('swapped while the user reads'), false, 'never shown');
    assert.equal(await isListed(changed), true);
  });
