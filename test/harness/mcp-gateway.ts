import {PassThrough} from 'node:stream';
import {setTimeout as wait} from 'node:timers/promises';
import {openDenials} from '../../src/mcp/gateway/call-denials.ts';
import {runGateway} from '../../src/mcp/gateway/gateway.ts';
import type {ServerProcess} from '../../src/mcp/gateway/server-process.ts';
import type {ToolGate} from '../../src/mcp/gateway/tool-gate.ts';
import {openApprovals} from '../../src/mcp/server/approvals.ts';

export type Message = Readonly<Record<string, unknown>>;

/** One end of a line of JSON messages. */
function end(stream: PassThrough) {
  const got: Message[] = [];
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    got.push(...lines.map((line) => JSON.parse(line) as Message));
  });
  return got;
}

const line = (message: object): string => `${JSON.stringify({jsonrpc: '2.0', ...message})}\n`;

interface Options {
  readonly passUnknown?: boolean;
  readonly gate?: Partial<ToolGate>;
}

/** A gateway between a client and servers that are streams. */
export function connectGateway({gate: own = {}, passUnknown = false}: Options = {}) {
  const [fromClient, toClient] = [new PassThrough(), new PassThrough()];
  const servers: {
    readonly heard: Message[];
    readonly input: PassThrough;
    readonly output: PassThrough;
    say(message: object): void;
    end(): void;
  }[] = [];
  const warnings: string[] = [];
  const ended = new AbortController();
  const approvals = openApprovals();
  const gate: ToolGate = {
    listed: (tools) => Promise.resolve([...tools]),
    isOpen: () => true,
    call: () => Promise.resolve({end: () => undefined}),
    deniesServer: () => Promise.resolve(false),
    ...own,
  };
  const start = (): Promise<ServerProcess> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let finish: (how: string) => void;
    const whole = new Promise<string>((resolve) => (finish = resolve));
    input.once('finish', () => finish('exit 0'));
    servers.push({
      heard: end(input),
      input,
      output,
      say: (message) => void output.write(line(message)),
      end: () => finish('exit 7'),
    });
    return Promise.resolve({input, output, kill: () => finish('signal'), ended: whole});
  };
  const code = runGateway({
    server: 'x',
    gate,
    denials: openDenials(),
    approvals,
    start,
    client: {input: fromClient, output: toClient},
    passUnknown,
    warn: (text) => warnings.push(text),
    ended: ended.signal,
  });
  const got = end(toClient);
  const say = (message: object): void => void fromClient.write(line(message));
  const turn = (): Promise<void> => wait(15);
  const close = async (): Promise<number> => {
    ended.abort();
    return code;
  };
  const isHeld = (): boolean => fromClient.isPaused();
  return {got, say, turn, servers, warnings, approvals, toClient, isHeld, close, code};
}
