import assert from 'node:assert/strict';
import {test} from 'node:test';
import {callTool, connectMcp} from '../harness/mcp.ts';
import {own} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {asksForNames, openWorld} from '../harness/network-world.ts';
import {makeScratch} from '../harness/scratch.ts';

test('a name that a running command looks up is asked about through the host of its call', async (t) => {
  const scratch = makeScratch(t, own, {'~/.ion/config.toml': asksForNames});
  const world = await openWorld(scratch, own);
  if (typeof world === 'string') return skip(t, world);
  const asked: string[] = [];
  const host = await connectMcp(t, scratch, ['mcp'], {
    as: own,
    through: world.through,
    capabilities: {capabilities: {elicitation: {form: {}}}},
    before: (client) =>
      client.setRequestHandler('elicitation/create', ({params}) => {
        asked.push(params.message);
        return {action: 'accept', content: {answer: asked.length === 1 ? 'once' : 'no'}};
      }),
  });
  const look = async (name: string): Promise<string> =>
    (await callTool(host, 'run', {command: `getent ahosts ${name}; true`})).text;
  assert.match(await look('ok.example'), /203\.0\.113\.10/);
  assert.match(asked[0] ?? '', /"ok\.example" on port 443; "getent" \(pid \d+\) looks it up/);
  assert.doesNotMatch(await look('other.example'), /203\.0\.113/);
  assert.equal(asked.length, 2);
  const mute = await connectMcp(t, scratch, ['mcp'], {as: own, through: world.through});
  assert.doesNotMatch(
    (await callTool(mute, 'run', {command: 'getent ahosts ok.example; true'})).text,
    /203\.0\.113/,
  );
});
