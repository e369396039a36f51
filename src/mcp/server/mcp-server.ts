import {
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type {Answer, Question} from '../../library/types.ts';
import {randomRunId} from '../../system/run-id.ts';
import {answerOf, elicitationOf} from './approvals.ts';
import {commandTools} from './command-tools.ts';
import {stateOf} from './explain-denial.ts';
import {fileTools} from './file-tools.ts';
import type {Serving} from './serving.ts';
import {failure, type ToolResult} from './tool-result.ts';
import type {Call, Tool} from './tool-table.ts';

const instructions =
  'Every tool works inside a sandbox that the operating system enforces. A refusal names what was refused and why. Only the user can change the sandbox: report the id of the denial to the user. "explain" shows what is in force.';

const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';

/** The server of one connection, over the tools of `serving`. */
export function mcpServer(serving: Serving, tools: readonly Tool[], version: string): McpServer {
  const server = new McpServer(
    {name: 'ion', title: 'ion sandbox', version},
    {capabilities: {tools: {}, resources: {}}, instructions},
  );
  const pending = new Map<string, PendingCall>();
  for (const tool of tools) {
    const {name, title, description, input, hints} = tool;
    server.registerTool(
      name,
      {title, description, inputSchema: fromJsonSchema(input as never), annotations: {title, ...hints}},
      (args: unknown, context: ServerContext) =>
        callTool({serving, server, pending, tool, args, context}) as never,
    );
  }
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

/** A call that waits for the user's answer. The host sends the request again, with the answer and the call's token. */
interface PendingCall {
  readonly tool: string;
  readonly result: Promise<ToolResult>;
  readonly controller: AbortController;
  /** The request that is served now. Progress goes there. */
  context: ServerContext;
  /** Resolves at the next question. */
  question: Promise<Question>;
  answer: (answer: Answer) => void;
}

interface ToolRequest {
  readonly serving: Serving;
  readonly server: McpServer;
  readonly pending: Map<string, PendingCall>;
  readonly tool: Tool;
  readonly args: unknown;
  readonly context: ServerContext;
}

/** An unanswered call ends by itself: the question times out. Its result is kept a little longer. */
const keptMs = 300_000;

async function callTool(request: ToolRequest): Promise<unknown> {
  const {pending, tool, context} = request;
  const token = context.mcpReq.requestState<string>();
  let call: PendingCall;
  if (token === undefined) call = begin(request);
  else {
    const known = pending.get(token);
    pending.delete(token); // each answer counts once
    if (known?.tool !== tool.name) return failure('ion: this approval has expired\n', {expired: true});
    call = known;
    call.context = context;
    call.answer(answerOf(context.mcpReq.inputResponses?.['approval']));
  }
  const cancel = (): void => call.controller.abort(context.mcpReq.signal.reason);
  if (context.mcpReq.signal.aborted) cancel();
  context.mcpReq.signal.addEventListener('abort', cancel, {once: true});
  const next = await Promise.race([call.result, call.question]);
  context.mcpReq.signal.removeEventListener('abort', cancel);
  if (!('answers' in next)) return next;
  const fresh = randomRunId();
  pending.set(fresh, call);
  setTimeout(() => pending.delete(fresh), keptMs).unref();
  return inputRequired({
    inputRequests: {approval: inputRequired.elicit(elicitationOf(next))},
    requestState: fresh,
  });
}

function begin({serving, server, tool, args, context}: ToolRequest): PendingCall {
  const controller = new AbortController();
  let ask: (question: Question) => void = () => undefined;
  const call: PendingCall = {
    tool: tool.name,
    controller,
    context,
    question: new Promise<Question>((resolve) => (ask = resolve)),
    answer: () => undefined,
    result: Promise.resolve().then(() => {
      const askHost = (question: Question): Promise<Answer> =>
        new Promise((resolve) => {
          call.answer = (answer) => {
            call.question = new Promise((again) => (ask = again));
            resolve(answer);
          };
          ask(question);
        });
      return serving.approvals.during(canElicit(server, context) ? askHost : undefined, () =>
        tool.call((args ?? {}) as never, callOf(call, controller.signal)),
      );
    }),
  };
  call.result.catch(() => undefined);
  return call;
}

function callOf(call: PendingCall, signal: AbortSignal): Call {
  return {
    signal,
    progress(done, message) {
      const {_meta: meta, notify} = call.context.mcpReq;
      const progressToken = meta?.progressToken;
      if (progressToken === undefined || signal.aborted) return;
      notify({method: 'notifications/progress', params: {progressToken, progress: done, message}}).catch(
        () => undefined,
      );
    },
  };
}

function canElicit(server: McpServer, {mcpReq: {envelope}}: ServerContext): boolean {
  const capabilities = envelope
    ? (envelope as Readonly<Record<string, unknown>>)[clientCapabilities]
    : server.server.getClientCapabilities();
  return typeof capabilities === 'object' && capabilities !== null && 'elicitation' in capabilities;
}
