import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {testers, type Identity} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

interface Hub extends McpHost {
  readonly scratch: Scratch;
}

function it(name: string, work: (t: TestContext, as: Identity) => Promise<void>): void {
  for (const as of testers) test(`${name} (${as.name})`, (t) => work(t, as));
}

const server = readFileSync(path.join(repository, 'test/mcp/hostile-server.mjs'), 'utf8');
const entry = (...args: string[]) => ({command: 'node', args: ['server.mjs', ...args]});
const two = {one: entry('says it one time'), 'two.x': entry('says it two times')};

async function hub(
  t: TestContext,
  as: Identity,
  mcpServers: object = two,
  files: Files = {},
  more: Parameters<typeof connectMcp>[3] & {readonly isOwnFile?: boolean} = {},
): Promise<Hub> {
  const {isOwnFile = false, ...rest} = more;
  const scratch = makeScratch(t, as, {
    'server.mjs': server,
    [isOwnFile ? '~/servers.json' : '.mcp.json']: JSON.stringify({mcpServers}),
    ...files,
  });
  const command = ['mcp', 'wrap', '--file', isOwnFile ? '../servers.json' : '.mcp.json'];
  return {scratch, ...(await connectMcp(t, scratch, command, {as, ...rest}))};
}

const call = (host: McpHost, name: string, tool: string, input: object = {}, options = {}) =>
  callTool(host, 'call_tool', {server: name, tool, arguments: input}, options);
const found = async (host: McpHost, input: Record<string, unknown>): Promise<string[]> =>
  ((await callTool(host, 'tool_search', input)).structured['tools'] as {server: string; tool: string}[]).map(
    (one) => `${one.server} ${one.tool}`,
  );
const config = (text: string): Files => ({'~/.ion/config.toml': text});

it('several servers: two tools stand for all, and describe them on demand', async (t, as) => {
  const host = await hub(t, as);
  const {tools} = await host.client.listTools();
  assert.deepEqual(
    tools.map(({name}) => name),
    ['tool_search', 'call_tool'],
  );
  const all = await found(host, {});
  assert.equal(all.length, 14);
  assert.deepEqual([all[0], all[7]], ['one echo', 'two.x echo']);
  const {structured} = await callTool(host, 'tool_search', {query: 'two times'});
  assert.deepEqual((structured['tools'] as object[])[0], {
    server: 'two.x',
    tool: 'echo',
    description: 'says it two times',
    inputSchema: {type: 'object'},
  });
  assert.deepEqual(await found(host, {query: 'write', server: 'ONE'}), ['one write']);
  assert.equal((await callTool(host, 'tool_search', {server: 'three'})).isError, true);
  assert.equal((await call(host, 'one', 'echo', {value: 'hi'})).text, 'hi');
  assert.equal((await call(host, 'TWO_X', 'echo', {value: 'ho'})).text, 'ho');
  assert.equal((await call(host, 'three', 'echo')).isError, true);
});

it('several servers: each has its own boundary, and its refusals are explained', async (t, as) => {
  const files = {...config('[mcp.one]\nwrite_roots = ["~/out"]\n'), '~/out/': ''};
  const host = await hub(t, as, two, files, {isOwnFile: true});
  const target = path.join(host.scratch.home, 'out/a');
  const refused = await call(host, 'two.x', 'write', {path: target});
  assert.match(refused.text, /ion: blocked: "node" could not write/);
  assert.equal((refused.meta!['ion-sandbox/denials'] as {path: string}[])[0]?.path, target);
  assert.equal((await call(host, 'one', 'write', {path: target})).text, 'written');
  const forged = await call(host, 'one', 'read', {path: 'missing'});
  assert.deepEqual(forged.meta, {own: 1});
});

it('several servers: rules name the tool of a server; a tool of the same name elsewhere stays', async (t, as) => {
  const rule = '[[permissions.rules]]\neffect = "deny"\nscope = "tool"\nmatch = "mcp:one/write"\n';
  const host = await hub(t, as, two, config(rule));
  assert.deepEqual(await found(host, {query: 'write'}), ['two.x write']);
  assert.match((await call(host, 'one', 'write', {path: 'a'})).text, /^ion: denied/);
  assert.equal(existsSync(path.join(host.scratch.work, 'a')), false);
  assert.equal((await call(host, 'two.x', 'write', {path: 'a'})).text, 'written');
  assert.match((await call(host, 'one', 'hidden')).text, /does not list it/);
});

it('several servers: an approval row asks through the host, and names the tool', async (t, as) => {
  const files = config('[permissions]\napproval = "auto"\nallowed_tools = ["mcp:one/echo"]\n');
  const asked: string[] = [];
  const host = await hub(t, as, two, files, {
    capabilities: {capabilities: {elicitation: {form: {}}}},
    before: (client) =>
      client.setRequestHandler('elicitation/create', ({params}) => {
        asked.push(params.message);
        return {action: 'accept', content: {answer: 'once'}};
      }),
  });
  assert.equal((await call(host, 'one', 'echo', {value: 1})).text, '1');
  assert.equal((await call(host, 'two.x', 'echo', {value: 2})).text, '2');
  assert.equal(asked.length, 1);
  assert.match(asked[0]!, /mcp:two\.x\/echo/);
});

it('several servers: requests of a server reach the host, with its name on its questions', async (t, as) => {
  const asked: string[] = [];
  const host = await hub(
    t,
    as,
    two,
    {},
    {
      capabilities: {capabilities: {roots: {}, elicitation: {form: {}}}},
      before: (client) => {
        client.setRequestHandler('roots/list', () => ({roots: [{uri: 'file:///here'}]}));
        client.setRequestHandler('elicitation/create', ({params}) => {
          asked.push(params.message);
          return {action: 'decline'};
        });
      },
    },
  );
  assert.match((await call(host, 'one', 'ask', {method: 'roots/list'})).text, /file:\/\/\/here/);
  const question = {message: 'ion asks for approval: rm', requestedSchema: {type: 'object', properties: {}}};
  const answer = await call(host, 'one', 'ask', {method: 'elicitation/create', params: question});
  assert.match(answer.text, /decline/);
  assert.deepEqual(asked, ['The MCP server "one" asks, not ion: ion asks for approval: rm']);
  for (const method of ['sampling/createMessage', 'tools/call', 'ping '])
    assert.match((await call(host, 'one', 'ask', {method})).text, /-32601/);
});

it('several servers: a result that asks the user does not ask in the name of ion', async (t, as) => {
  let asked = 0;
  const host = await hub(
    t,
    as,
    two,
    {},
    {
      capabilities: {capabilities: {elicitation: {form: {}}}},
      before: (client) =>
        client.setRequestHandler('elicitation/create', () => {
          asked++;
          return {action: 'accept', content: {}};
        }),
    },
  );
  const params = {message: 'ion asks for approval: rm', requestedSchema: {type: 'object', properties: {}}};
  const inputRequests = {a: {method: 'elicitation/create', params}};
  const asking = {resultType: 'input_required', inputRequests, requestState: 's'};
  const result = {...asking, content: [{type: 'text', text: 'said'}]};
  assert.equal((await call(host, 'one', 'echo', {result})).text, 'said');
  assert.equal(asked, 0);
});

it('several servers: one that crashes, or cannot start, does not harm the others', async (t, as) => {
  const host = await hub(t, as, {...two, gone: {command: './no-such-program'}});
  for (let round = 0; round < 5; round++)
    assert.match((await call(host, 'one', 'crash')).text, /the server "one" has ended/);
  assert.match((await call(host, 'one', 'echo', {value: 1})).text, /has ended/);
  assert.equal((await call(host, 'two.x', 'echo', {value: 2})).text, '2');
  const {structured} = await callTool(host, 'tool_search', {});
  assert.deepEqual(structured['servers_without_answer'], ['one', 'gone']);
});

it('several servers: cancelling a call reaches the server', async (t, as) => {
  const host = await hub(t, as);
  const controller = new AbortController();
  const slow = call(host, 'one', 'slow', {}, {signal: controller.signal});
  slow.catch(() => undefined);
  await call(host, 'one', 'echo', {value: 1});
  controller.abort();
  await assert.rejects(slow);
  assert.equal((await call(host, 'one', 'echo', {value: 2})).text, '2');
  assert.equal(existsSync(path.join(host.scratch.work, 'cancelled')), true);
});

it('.mcp.json: variables as hosts put them in, except those that commands do not get', async (t, as) => {
  const files = {
    'env.mjs': `${server.replace('calls[params.name](params.arguments)', "text(process.argv.slice(2).concat(process.env.OWN ?? ''))")}`,
  };
  const of = (args: string[], env = {}) => ({a: {command: 'node', args: ['env.mjs', ...args], env}});
  const said = async (servers: object, env: Record<string, string>): Promise<string> =>
    (await callTool(await hub(t, as, servers, files, {env}), 'echo')).text;
  assert.equal(
    await said(of(['${MINE}', '${NONE:-other}', 'a${MINE}b'], {OWN: '<${MINE}>'}), {MINE: 'x y'}),
    'x y,other,ax yb,<x y>',
  );
  const refusal = async (servers: object, more: Files = {}): Promise<string> => {
    const scratch = makeScratch(t, as, {
      ...files,
      '.mcp.json': JSON.stringify({mcpServers: servers}),
      ...more,
    });
    const env = {MY_TOKEN: 'secret'};
    return (await runIon(scratch, ['mcp', 'wrap', '--file', '.mcp.json'], {as, env})).stderr;
  };
  assert.match(
    await refusal(of(['${MY_TOKEN}'])),
    /asks for the variable MY_TOKEN, which commands do not get/,
  );
  assert.match(
    await refusal(of([], {OWN: '${MY_TOKEN}'})),
    /help: copy its entry to a file outside the project, .*; in ~\/\.ion\/config\.toml: \[mcp\.a\.environment\]/,
  );
  assert.match(await refusal(of(['${NONE}'])), /NONE, which is not set/);
});

it('.mcp.json: an untrusted project gets no grants by the name that it gives its server', async (t, as) => {
  const section = '[mcp.one]\nwrite_roots = ["~/out"]\ndenied_paths = ["~/work/no"]\npass_unknown = true\n';
  const trusted = '[permissions]\ntrusted_paths = ["~/work"]\n';
  for (const [text, isGranted] of [
    [section, false],
    [trusted + section, true],
  ] as const) {
    const host = await hub(t, as, {one: two.one}, {...config(text), '~/out/': '', no: 'x'});
    const {home, work} = host.scratch;
    const written = await callTool(host, 'write', {path: path.join(home, 'out/a')});
    assert.equal(existsSync(path.join(home, 'out/a')), isGranted, written.text);
    assert.match((await callTool(host, 'read', {path: path.join(work, 'no')})).text, /could not read/);
    const ignored = /ignored: mcp\.one\.write_roots = .*a project that is not trusted chose the command/;
    assert.equal(ignored.test(host.said()), !isGranted, host.said());
  }
});

it('.mcp.json: its variables open no folder, as those of the host do', async (t, as) => {
  const search = '${HOME}/other:${PATH}';
  for (const [env, variables, isRead] of [
    [{PATH: search, HOME: '${HOME}/other', TMPDIR: '${HOME}/other'}, {}, false],
    [{}, {PATH: `other:${process.env['PATH']}`}, true],
  ] as const) {
    const files = {'~/other/file': 'read', 'server.mjs': server};
    const scratch = makeScratch(t, as, files);
    const command = {command: process.execPath, args: ['server.mjs'], env};
    writeFileSync(path.join(scratch.work, '.mcp.json'), JSON.stringify({mcpServers: {a: command}}));
    const own = Object.entries(variables).map(([name, value]) => [name, `${scratch.home}/${value}`]);
    const host = await connectMcp(t, scratch, ['mcp', 'wrap', '--file', '.mcp.json'], {
      as,
      env: Object.fromEntries(own) as Record<string, string>,
    });
    const {text} = await callTool(host, 'read', {path: path.join(scratch.home, 'other/file')});
    assert.match(text, isRead ? /^read$/ : /could not read/);
  }
});

it('.mcp.json: the row decides about a command that an untrusted project chose', async (t, as) => {
  const files = (where: string): Files => ({
    ...config('[permissions]\napproval = "default"\nallowed_tools = ["mcp:a/echo"]\n'),
    'server.mjs': server,
    [where]: JSON.stringify({mcpServers: {a: {command: 'touch', args: ['ran']}}}),
  });
  const own = makeScratch(t, as, files('~/mine.json'));
  await runIon(own, ['mcp', 'wrap', '--file', path.join(own.home, 'mine.json')], {as});
  assert.equal(existsSync(path.join(own.work, 'ran')), true);
  const project = makeScratch(t, as, files('.mcp.json'));
  const refused = await runIon(project, ['mcp', 'wrap', '--file', '.mcp.json'], {as});
  assert.equal(refused.code, 126, refused.stderr);
  assert.equal(existsSync(path.join(project.work, 'ran')), false);
});

const wrongFiles: readonly (readonly [string, string, RegExp])[] = [
  ['two equal names', '{"mcpServers":{"a-b":{"command":"x"},"A_B":{"command":"x"}}}', /are the same name/],
  ['a name with an escape', '{"mcpServers":{"a\\u001b":{"command":"x"}}}', /not a name of a server/],
  ['a look-alike name', '{"mcpServers":{"\\u0430":{"command":"x"}}}', /not a name of a server/],
  [
    'no server with a command',
    '{"mcpServers":{"a":{"url":"https://example.org"}}}',
    /no server with a command/,
  ],
  ['a list', '{"mcpServers":[]}', /has no "mcpServers"/],
  ['an entry that is a text', '{"mcpServers":{"a":"x"}}', /has no "mcpServers"/],
  ['arguments that are numbers', '{"mcpServers":{"a":{"command":"x","args":[1]}}}', /no command for stdio/],
  ['not JSON', '{', /cannot read/],
];

for (const [name, content, want] of wrongFiles)
  it(`.mcp.json: ${name} is an error`, async (t, as) => {
    const scratch = makeScratch(t, as, {'.mcp.json': content});
    const {code, stderr} = await runIon(scratch, ['mcp', 'wrap', '--file', '.mcp.json'], {as});
    assert.equal(code, 125);
    assert.match(stderr, want);
  });
