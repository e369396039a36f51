import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';

/** The tool that the model asks for: the first one of the request whose name matches. */
export interface Step {
  readonly tool: RegExp;
  readonly input: object;
}

/** A stand-in for a model's API, on the loopback. It asks for one tool after the other, and then ends. */
export interface StandIn {
  readonly url: string;
  /** The bodies of the requests, in their order. */
  readonly bodies: readonly string[];
  close(): void;
}

interface Body {
  readonly tools?: readonly {
    readonly name?: string;
    readonly function?: {readonly name?: string};
    readonly functionDeclarations?: readonly {readonly name: string}[];
  }[];
}

interface Asked {
  readonly name: string;
  readonly input: object;
}

export async function startStandIn(steps: readonly Step[]): Promise<StandIn> {
  const bodies: string[] = [];
  const left = [...steps];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      bodies.push(text);
      const name = toolsOf(text).find((one) => left[0]?.tool.test(one));
      const asked = name === undefined ? undefined : {name, input: left.shift()!.input};
      const answer = dialects.find(({path}) => path.test(request.url ?? ''))?.answer ?? anthropic;
      response.writeHead(200, {'content-type': 'text/event-stream'});
      response.end(answer(asked));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {url: `http://127.0.0.1:${portOf(server)}`, bodies, close: () => void server.close()};
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function toolsOf(text: string): readonly string[] {
  let body: Body;
  try {
    body = JSON.parse(text) as Body;
  } catch {
    return [];
  }
  return (body.tools ?? [])
    .flatMap((one) => [
      one.name,
      one.function?.name,
      ...(one.functionDeclarations ?? []).map(({name}) => name),
    ])
    .filter((name): name is string => name !== undefined);
}

const dialects: readonly {readonly path: RegExp; readonly answer: (asked: Asked | undefined) => string}[] = [
  {path: /chat\/completions/, answer: openai},
  {path: /generateContent/i, answer: gemini},
];

/** The stream of https://docs.anthropic.com/en/api/messages-streaming. */
function anthropic(asked: Asked | undefined): string {
  const block = asked
    ? {type: 'tool_use', id: `toolu_${asked.name}`, name: asked.name, input: {}}
    : {type: 'text', text: ''};
  const delta = asked
    ? {type: 'input_json_delta', partial_json: JSON.stringify(asked.input)}
    : {type: 'text_delta', text: 'done'};
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
      delta: {stop_reason: asked ? 'tool_use' : 'end_turn', stop_sequence: null},
      usage: {output_tokens: 1},
    },
    {type: 'message_stop'},
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** The stream of a chat completion. */
function openai(asked: Asked | undefined): string {
  const delta = asked
    ? {
        role: 'assistant',
        tool_calls: [
          {
            index: 0,
            id: 'call_1',
            type: 'function',
            function: {name: asked.name, arguments: JSON.stringify(asked.input)},
          },
        ],
      }
    : {role: 'assistant', content: 'done'};
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({id: 'x', object: 'chat.completion.chunk', created: 1, model: 'stand-in', choices: [choice]})}\n\n`;
  return `${chunk({index: 0, delta, finish_reason: null})}${chunk({index: 0, delta: {}, finish_reason: asked ? 'tool_calls' : 'stop'})}data: [DONE]\n\n`;
}

/** The stream of `streamGenerateContent?alt=sse`. */
function gemini(asked: Asked | undefined): string {
  const part = asked ? {functionCall: {name: asked.name, args: asked.input}} : {text: 'done'};
  const answer = {
    candidates: [{index: 0, finishReason: 'STOP', content: {role: 'model', parts: [part]}}],
    usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2},
  };
  return `data: ${JSON.stringify(answer)}\n\n`;
}
