/** Every tool of real servers gives the same result inside ion as without it. npm packages have no tests of their own. */
import assert from 'node:assert/strict';
import {realpathSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {plain} from '../harness/identity.ts';
import {connectMcp, type McpHost} from '../harness/mcp.ts';
import {packages, programs} from './programs.ts';
import {repositoryWith} from './repository-with.ts';
import {serverTools, type ServerTools} from './server-tools.ts';

type Text = (value: unknown) => string;

interface Side extends McpHost {
  /** Without what differs between two runs of the same server: folders, times, ids. */
  readonly normal: Text;
  readonly put: <T>(value: T) => T;
}

async function side(t: TestContext, server: ServerTools, isWrapped: boolean): Promise<Side> {
  const scratch = repositoryWith(t, {
    ...{b: 'y\n', 'dot.png': 'x', '~/.gitconfig': gitConfig},
    ...(server.state === undefined ? {} : {[`~/${server.state}/`]: ''}),
  });
  const put = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('{work}', scratch.work)) as T;
  const normal: Text = (value) =>
    JSON.stringify(value, undefined, 1)
      .replaceAll(scratch.root, '{root}')
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| ?[+-]\d\d:?\d\d)/g, '{time}')
      .replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, '{id}')
      .replaceAll(/\w{3} \w{3} \d\d \d{4} [\d:]{8} [^"\\]*/g, '{time}');
  const program = realpathSync(path.join(programs!, server.program));
  const sets = [
    `sandbox.read_roots+=["${packages!}"]`,
    ...(server.state === undefined ? [] : [`sandbox.write_roots+=["~/${server.state}"]`]),
  ].flatMap((set) => ['--set', set]);
  const wrap = ['mcp', 'wrap', ...sets, '--name', 'real', '--'];
  const args = put(server.args ?? []);
  const host = await connectMcp(
    t,
    scratch,
    isWrapped ? [...wrap, process.execPath, program, ...args] : args,
    {
      as: plain,
      ...(isWrapped ? {} : {program}),
      env: {...dates, ...put(server.env ?? {})},
      capabilities: {capabilities: {roots: {}, sampling: {}, elicitation: {form: {}, url: {}}}},
      before(client) {
        client.setRequestHandler('roots/list', () => ({roots: [{uri: 'file:///here', name: 'here'}]}));
        client.setRequestHandler('elicitation/create', () => ({action: 'decline'}));
        client.setRequestHandler('sampling/createMessage', () => ({
          role: 'assistant',
          model: 'none',
          content: {type: 'text', text: 'something'},
        }));
      },
    },
  );
  return {...host, normal, put};
}

const gitConfig = '[user]\n\tname = x\n\temail = x@example.org\n[init]\n\tdefaultBranch = main\n';
/** Commits of both sides have the same ids. */
const dates = {GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z'};

for (const server of programs === undefined ? [] : serverTools)
  test(`wrapped as unwrapped: ${server.name}`, async (t) => {
    const [inside, outside] = [await side(t, server, true), await side(t, server, false)];
    const lists = async ({client}: Side) => ({
      tools: await client.listTools(),
      prompts: await client.listPrompts().catch(String),
      resources: await client.listResources().catch(String),
      templates: await client.listResourceTemplates().catch(String),
    });
    const [want, got] = [await lists(outside), await lists(inside)];
    assert.equal(inside.normal(got), outside.normal(want));
    assert.deepEqual(
      want.tools.tools.map(({name}) => name).filter((name) => !server.calls.some(([tool]) => tool === name)),
      [],
      'each tool is called',
    );
    const [differing, failing]: [string[], string[]] = [[], []];
    for (const [tool, input] of server.calls) {
      const results = [];
      for (const {client, normal, put} of [outside, inside])
        results.push(
          normal(
            await client.callTool({name: tool, arguments: put({...input})}, {timeout: 120_000}).catch(String),
          ),
        );
      if (/^ "isError": true/m.test(results[0]!)) failing.push(tool);
      if (server.differs?.[tool] === undefined) assert.equal(results[1], results[0], tool);
      else if (results[1] !== results[0]) differing.push(tool);
    }
    assert.deepEqual(differing, Object.keys(server.differs ?? {}));
    const names = server.calls.map(([tool]) => tool);
    assert.deepEqual(failing, server.fails === 'all' ? names : (server.fails ?? []));
  });
