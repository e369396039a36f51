import {Client} from '@modelcontextprotocol/client';
import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import type {TestContext} from 'node:test';
import {startIon, type RunSpec} from './run.ts';
import type {Scratch} from './scratch.ts';

type Transport = Parameters<Client['connect']>[0];

/** A host of the protocol, made of the SDK's own client, and the ion that it talks to. */
export interface McpHost {
  readonly client: Client;
  readonly child: ChildProcess;
  /** ion's text on stderr. */
  readonly said: () => string;
}

interface HostOptions extends RunSpec {
  readonly capabilities?: ConstructorParameters<typeof Client>[1] & {};
  readonly before?: (client: Client) => void;
}

/** Starts ion with `args` and connects the SDK's client to it. Both end with the test. */
export async function connectMcp(
  t: Pick<TestContext, 'after'>,
  scratch: Scratch,
  args: readonly string[],
  {capabilities, before, ...spec}: HostOptions = {},
): Promise<McpHost> {
  const child = startIon(scratch, args, {buffer: false, ...spec});
  scratch.companions.push(child);
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
  const client = new Client({name: 'test', version: '1'}, capabilities);
  before?.(client);
  t.after(() => client.close());
  try {
    await client.connect(overStreams(child));
  } catch (error) {
    throw new Error(`${String(error)}\n${said}`, {cause: error});
  }
  return {client, child, said: () => said};
}

/** The SDK's own stdio transport cannot start a process as another user. */
export function overStreams(child: ChildProcess): Transport {
  const transport: Transport = {
    start() {
      createInterface({input: child.stdout!}).on('line', (line) =>
        transport.onmessage?.(JSON.parse(line) as never),
      );
      child.once('close', () => transport.onclose?.());
      child.stdin!.on('error', () => undefined);
      return Promise.resolve();
    },
    send(message) {
      child.stdin!.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    async close() {
      child.stdin!.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      transport.onclose?.();
    },
  };
  return transport;
}

interface CallResult {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

export async function callTool(
  {client}: Pick<McpHost, 'client'>,
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  options: Parameters<Client['callTool']>[1] = {},
): Promise<CallResult> {
  const result = (await client.callTool({name, arguments: input}, options)) as {
    content: {type: string; text?: string}[];
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
    _meta?: Record<string, unknown>;
  };
  return {
    text: result.content.map(({text = ''}) => text).join(''),
    structured: result.structuredContent ?? {},
    isError: result.isError === true,
    content: result.content,
    meta: result._meta,
  };
}
