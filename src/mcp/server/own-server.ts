import {ResourceTemplate, type McpServer} from '@modelcontextprotocol/server';
import {commandTools} from './command-tools.ts';
import {stateOf} from './explain-denial.ts';
import {fileTools} from './file-tools.ts';
import {mcpServer} from './mcp-server.ts';
import type {Serving} from './serving.ts';
import type {Tool} from './tool-table.ts';

const instructions =
  'Every tool works inside a sandbox that the operating system enforces. A refusal names what was refused and why. Only the user can change the sandbox: report the id of the denial to the user. "explain" shows what is in force.';

/** The server of `ion mcp`: ion's own tools, the state, and the outputs that results link to. */
export function ownServer(serving: Serving, tools: readonly Tool[], version: string): McpServer {
  const {approvals} = serving;
  const capabilities = {resources: {}};
  const server = mcpServer({title: 'ion sandbox', version, instructions, tools, approvals, capabilities});
  addResources(server, serving);
  return server;
}

export function allTools(serving: Serving): Tool[] {
  return [...commandTools(serving), ...fileTools(serving)];
}

function addResources(server: McpServer, serving: Serving): void {
  server.registerResource(
    'state',
    'ion://state',
    {title: 'The sandbox in force', mimeType: 'application/json'},
    (uri) => ({
      contents: [{uri: uri.href, mimeType: 'application/json', text: JSON.stringify(stateOf(serving))}],
    }),
  );
  server.registerResource(
    'output',
    new ResourceTemplate('ion://output/{run}/{stream}', {list: undefined}),
    {title: 'The whole output of a command'},
    (uri) => {
      const content = serving.outputs.get(uri.href);
      if (!content) throw new Error(`${uri.href} is not kept any more`);
      return {contents: [{uri: uri.href, ...textOrBlob(content)}]};
    },
  );
}

function textOrBlob(content: Buffer): {mimeType: string; text: string} | {mimeType: string; blob: string} {
  try {
    return {mimeType: 'text/plain', text: new TextDecoder('utf-8', {fatal: true}).decode(content)};
  } catch {
    return {mimeType: 'application/octet-stream', blob: content.toString('base64')};
  }
}
