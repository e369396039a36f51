/** Each `mcpServers` entry in docs/mcp.md, started as a host starts it. */
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {connectMcp} from '../harness/mcp.ts';
import {repository} from '../harness/package.ts';
import {makeScratch} from '../harness/scratch.ts';

const text = readFileSync(path.join(repository, 'docs/mcp.md'), 'utf8');
const server = readFileSync(path.join(repository, 'test/mcp/hostile-server.mjs'), 'utf8');

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

const entries = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
  Object.entries((JSON.parse(block) as {mcpServers: Record<string, Entry>}).mcpServers),
);

const wrapped = {command: 'node', args: ['server.mjs']};

/** A tool that the host must see. */
const tools: Readonly<Record<string, string>> = {ion: 'run_read', files: 'echo', all: 'tool_search'};

test('docs/mcp.md: there is an entry for each way to start ion', () =>
  assert.deepEqual(
    entries.map(([name]) => name),
    Object.keys(tools),
  ));

for (const [name, {command, args}] of entries)
  test(`docs/mcp.md: the entry "${name}" of a host`, async (t) => {
    assert.equal(command, 'ion');
    const scratch = makeScratch(t, plain, {
      'server.mjs': server,
      // In place of npm's: the tests have no network.
      'bin/npx': {text: '#!/bin/sh\nexec node server.mjs\n', mode: 0o755},
      '.mcp.json': JSON.stringify({mcpServers: {one: wrapped, two: wrapped}}),
    });
    const env = {PATH: `${scratch.work}/bin:${process.env['PATH']}`};
    const {client} = await connectMcp(t, scratch, args, {as: plain, env});
    const found = (await client.listTools()).tools.map((one) => one.name);
    assert.ok(found.includes(tools[name]!), found.join());
  });
