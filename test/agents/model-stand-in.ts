import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';

/** A stand-in of a model's API on the loopback. It asks for one shell command, and then ends. */
export interface StandIn {
  readonly url: string;
  /** The bodies of the requests, in their order. */
  readonly bodies: readonly string[];
  close(): void;
}

interface Body {
  readonly stream?: boolean;
  readonly model?: string;
  readonly tools?: readonly {readonly name?: string; readonly function?: {readonly name?: string}}[];
  readonly messages?: readonly unknown[];
}

export async function startStandIn(command: string): Promise<StandIn> {
  const bodies: string[] = [];
  let asked = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      bodies.push(text);
      const body = parsed(text);
      const tool = body.tools
        ?.map((one) => one.name ?? one.function?.name)
        .find((name) => name === 'Bash' || name === 'bash');
      const asks = tool !== undefined && !asked;
      asked ||= asks;
      const events = request.url?.includes('chat/completions')
        ? openai(asks ? tool : undefined, command)
        : anthropic(asks ? tool : undefined, command);
      response.writeHead(200, {'content-type': 'text/event-stream'});
      response.end(events);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {url: `http://127.0.0.1:${portOf(server)}`, bodies, close: () => void server.close()};
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

/** The stream of https://docs.anthropic.com/en/api/messages-streaming. */
function anthropic(tool: string | undefined, command: string): string {
  const block =
    tool === undefined ? {type: 'text', text: ''} : {type: 'tool_use', id: 'toolu_1', name: tool, input: {}};
  const delta =
    tool === undefined
      ? {type: 'text_delta', text: 'done'}
      : {type: 'input_json_delta', partial_json: JSON.stringify({command, description: 'test'})};
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stand-in',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {input_tokens: 1, output_tokens: 1},
  };
  return [
    {type: 'message_start', message},
    {type: 'content_block_start', index: 0, content_block: block},
    {type: 'content_block_delta', index: 0, delta},
    {type: 'content_block_stop', index: 0},
    {
      type: 'message_delta',
      delta: {stop_reason: tool === undefined ? 'end_turn' : 'tool_use', stop_sequence: null},
      usage: {output_tokens: 1},
    },
    {type: 'message_stop'},
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** The stream of a chat completion. */
function openai(tool: string | undefined, command: string): string {
  const delta =
    tool === undefined
      ? {role: 'assistant', content: 'done'}
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: 'call_1',
              type: 'function',
              function: {name: tool, arguments: JSON.stringify({command, description: 'test'})},
            },
          ],
        };
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({id: 'x', object: 'chat.completion.chunk', created: 1, model: 'stand-in', choices: [choice]})}\n\n`;
  return `${chunk({index: 0, delta, finish_reason: null})}${chunk({index: 0, delta: {}, finish_reason: tool === undefined ? 'stop' : 'tool_calls'})}data: [DONE]\n\n`;
}
