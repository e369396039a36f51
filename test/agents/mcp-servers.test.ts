import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {callTool, connectMcp, type McpHost} from '../harness/mcp.ts';
import {ionFile, repository} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {runProgram} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';
import {packages, programs} from './programs.ts';
import {repositoryWith} from './repository-with.ts';

interface Call {
  readonly tool: string;
  /** `{work}` and `{home}` are the folders of the test. */
  readonly input: object;
  readonly want: RegExp;
}

/** A server as npm installs it. */
interface RealServer {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly everyday: readonly Call[];
  /** An action that the server itself allows and the sandbox refuses. */
  readonly leaving?: Call;
  /** The file that `leaving` would make. */
  readonly outside?: string;
}

const blocked = /ion: blocked: "[^"]+" could not /;

const servers: readonly RealServer[] = [
  {
    name: 'filesystem',
    program: 'mcp-server-filesystem',
    args: ['{home}'],
    everyday: [
      {tool: 'write_file', input: {path: '{work}/a', content: 'one\n'}, want: /Successfully wrote/},
      {tool: 'read_text_file', input: {path: '{work}/a'}, want: /^one\n/},
      {tool: 'list_directory', input: {path: '{work}'}, want: /\[FILE\] a/},
    ],
    leaving: {tool: 'write_file', input: {path: '{home}/outside', content: 'x'}, want: blocked},
    outside: 'outside',
  },
  {
    name: 'memory',
    program: 'mcp-server-memory',
    env: {MEMORY_FILE_PATH: '{work}/memory.json'},
    everyday: [
      {
        tool: 'create_entities',
        input: {entities: [{name: 'ion', entityType: 'program', observations: ['runs commands']}]},
        want: /ion/,
      },
      {tool: 'read_graph', input: {}, want: /runs commands/},
    ],
  },
  {
    name: 'memory, with its file outside',
    program: 'mcp-server-memory',
    env: {MEMORY_FILE_PATH: '{home}/outside'},
    everyday: [],
    leaving: {
      tool: 'create_entities',
      input: {entities: [{name: 'ion', entityType: 'program', observations: []}]},
      want: blocked,
    },
    outside: 'outside',
  },
  {
    name: 'everything',
    program: 'mcp-server-everything',
    env: {MY_TOKEN: 'secret'},
    everyday: [
      {tool: 'echo', input: {message: 'hi'}, want: /Echo: hi/},
      {tool: 'get-sum', input: {a: 2, b: 3}, want: /5/},
      {tool: 'get-env', input: {}, want: /^(?![^]*secret)/},
    ],
  },
  {
    name: 'sequential-thinking',
    program: 'mcp-server-sequential-thinking',
    everyday: [
      {
        tool: 'sequentialthinking',
        input: {thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1},
        want: /"thoughtHistoryLength": 1/,
      },
    ],
  },
  {
    name: 'git',
    program: 'git-mcp-server',
    env: {LOGS_DIR: '{work}/logs'},
    everyday: [
      {tool: 'git_status', input: {path: '{work}'}, want: /main/},
      {tool: 'git_log', input: {path: '{work}'}, want: /first/},
    ],
    leaving: {tool: 'git_init', input: {path: '{home}/outside'}, want: blocked},
    outside: 'outside',
  },
  {
    name: 'playwright (without a browser)',
    program: 'playwright-mcp',
    everyday: [],
    leaving: {tool: 'browser_navigate', input: {url: 'http://127.0.0.1:9'}, want: /./},
  },
];

for (const server of programs === undefined ? [] : servers)
  test(`wrapped: ${server.name}`, async (t) => {
    const scratch = repositoryWith(t);
    const put = <T>(value: T): T =>
      JSON.parse(
        JSON.stringify(value).replaceAll('{work}', scratch.work).replaceAll('{home}', scratch.home),
      ) as T;
    const set = ['--set', `sandbox.read_roots+=["${packages!}"]`];
    const command = [path.join(programs!, server.program), ...put(server.args ?? [])];
    const host = await connectMcp(t, scratch, ['mcp', 'wrap', ...set, '--name', 'real', '--', ...command], {
      as: plain,
      env: put(server.env ?? {}),
    });
    for (const {tool, input, want} of server.everyday) {
      const {text, isError} = await callTool(host, tool, put({...input}));
      assert.equal(isError, false, text);
      assert.match(text, want);
    }
    if (!server.leaving) return;
    const {tool, input, want} = server.leaving;
    const {text, isError} = await callTool(host, tool, put({...input}), {timeout: 120_000});
    assert.equal(isError, true, text);
    assert.match(text, want);
    if (server.outside !== undefined)
      assert.equal(existsSync(path.join(scratch.home, server.outside)), false);
  });

test('wrapped: all of them at once, behind two tools', {skip: programs === undefined}, async (t) => {
  const scratch = repositoryWith(t);
  const chosen = servers.filter(({name}) => ['filesystem', 'memory', 'everything', 'git'].includes(name));
  const entries = chosen.map(({name, program, args = [], env = {}}) => [
    name,
    {command: path.join(programs!, program), args, env},
  ]);
  const file = JSON.stringify({mcpServers: Object.fromEntries(entries) as object})
    .replaceAll('{work}', scratch.work)
    .replaceAll('{home}', scratch.home);
  writeFileSync(path.join(scratch.work, '.mcp.json'), file);
  giveTo(scratch.root, plain);
  const set = ['--set', `sandbox.read_roots+=["${packages!}"]`];
  const host: McpHost = await connectMcp(t, scratch, ['mcp', 'wrap', ...set, '--file', '.mcp.json'], {
    as: plain,
  });
  const search = async (query: string) =>
    (await callTool(host, 'tool_search', {query}, {timeout: 120_000})).structured['tools'] as {
      server: string;
      tool: string;
    }[];
  const first = async (query: string) =>
    (await search(query)).map(({server, tool}) => `${server} ${tool}`)[0];
  assert.equal(await first('read a text file'), 'filesystem read_text_file');
  assert.equal(await first('commit history log'), 'git git_log');
  assert.equal(await first('create entities in the knowledge graph'), 'memory create_entities');
  const {text} = await callTool(host, 'call_tool', {
    server: 'everything',
    tool: 'get-sum',
    arguments: {a: 20, b: 22},
  });
  assert.match(text, /42/);
});

/** https://github.com/modelcontextprotocol/inspector: its command line is another host. */
const inspected: readonly (readonly [string, readonly string[], readonly string[], RegExp])[] = [
  ['ion mcp lists its tools', [], ['--method', 'tools/list'], /"name": "run_read"/],
  [
    'ion mcp runs a command',
    [],
    ['--method', 'tools/call', '--tool-name', 'run', '--tool-arg', 'command=echo x > ../outside'],
    /could not write/,
  ],
  [
    'ion mcp wrap passes a call',
    ['wrap', '--name', 'x', '--', process.execPath, 'server.mjs'],
    ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'value=hello'],
    /"text": "hello"/,
  ],
];

for (const [name, args, method, want] of programs === undefined ? [] : inspected)
  test(`inspector: ${name}`, async (t) => {
    const server = readFileSync(path.join(repository, 'test/mcp/hostile-server.mjs'), 'utf8');
    const scratch = makeScratch(t, plain, {'server.mjs': server});
    const inspector = path.join(programs!, 'mcp-inspector');
    const {stdout, stderr} = await runProgram(
      scratch,
      [inspector, '--cli', process.execPath, ionFile, 'mcp', ...args, ...method],
      {as: plain, timeoutMs: 120_000 * patience},
    );
    assert.match(stdout, want, stderr);
  });
