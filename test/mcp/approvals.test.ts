// Approvals of hosts that speak the newer protocol: the answer comes with the same call, sent again.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {connectMcp} from '../harness/mcp.ts';
import {makeScratch} from '../harness/scratch.ts';

interface Reply {
  readonly requestState?: string;
  readonly isError?: boolean;
  readonly content?: readonly {readonly text?: string}[];
}

const yes = {approval: {action: 'accept', content: {answer: 'once'}}};
const expired = /this approval has expired/;

for (const as of testers) {
  test(`mcp: an answer counts once, and for the tool that asked (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'~/.ion/config.toml': '[permissions]\napproval = "ask"\n'});
    const {client} = await connectMcp(t, scratch, ['mcp'], {
      as,
      capabilities: {
        capabilities: {elicitation: {form: {}}},
        versionNegotiation: {mode: 'auto'},
        inputRequired: {autoFulfill: false},
      },
    });
    const made = (name: string): boolean => existsSync(path.join(scratch.work, name));
    const call = async (name: string, input: object, answer: object = {}): Promise<Reply> =>
      (await client.callTool({name, arguments: {...input}, ...answer}, {allowInputRequired: true})) as Reply;
    const textOf = ({content = []}: Reply): string => content.map(({text}) => text).join('');

    const asked = await call('run', {command: 'touch a'});
    assert.ok(asked.requestState, JSON.stringify(asked));
    assert.equal(made('a'), false);
    const answer = {requestState: asked.requestState, inputResponses: yes};

    assert.match(textOf(await call('write', {path: 'b', content: ''}, answer)), expired);
    assert.match(textOf(await call('run', {command: 'touch a'}, answer)), expired);
    assert.deepEqual([made('a'), made('b')], [false, false]);

    const again = await call('run', {command: 'touch a'});
    const second = {requestState: again.requestState, inputResponses: yes};
    // The call that was shown goes on, not another one that the host sends with the answer.
    assert.notEqual((await call('run', {command: 'touch c'}, second)).isError, true);
    assert.deepEqual([made('a'), made('c')], [true, false]);
    assert.match(textOf(await call('run', {command: 'touch c'}, second)), expired);
    assert.equal(made('c'), false);
    assert.match(textOf(await call('run', {command: 'touch c'}, {...second, requestState: 'x'})), expired);
  });
}
