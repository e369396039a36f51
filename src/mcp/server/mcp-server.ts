import {fromJsonSchema, inputRequired, McpServer, type ServerContext} from '@modelcontextprotocol/server';
import type {Answer, Question} from '../../library/types.ts';
import {randomRunId} from '../../system/run-id.ts';
import {answerOf, elicitationOf, type Approvals} from './approvals.ts';
import {failure, type ToolResult} from './tool-result.ts';
import type {Call, Tool} from './tool-table.ts';

const clientCapabilities = 'io.modelcontextprotocol/clientCapabilities';

export interface ServerParts {
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly approvals: Approvals;
  readonly capabilities?: {readonly resources: object};
}

/** The server of one connection. */
export function mcpServer({
  title,
  version,
  instructions,
  tools,
  approvals,
  capabilities,
}: ServerParts): McpServer {
  const server = new McpServer(
    {name: 'ion', title, version},
    {capabilities: {tools: {}, ...capabilities}, instructions},
  );
  const pending = new Map<string, PendingCall>();
  for (const tool of tools) {
    const {name, title: toolTitle, description, input, hints} = tool;
    server.registerTool(
      name,
      {
        title: toolTitle,
        description,
        inputSchema: fromJsonSchema(input as never),
        annotations: {title: toolTitle, ...hints},
      },
      (args: unknown, context: ServerContext) =>
        callTool({approvals, server, pending, tool, args, context}) as never,
    );
  }
  return server;
}

/** A call that waits for the user's answer. The host sends the request again, with the answer and the call's token. */
interface PendingCall {
  readonly tool: string;
  readonly result: Promise<ToolResult>;
  readonly controller: AbortController;
  /** The request that is being served. Progress goes there. */
  context: ServerContext;
  /** Resolves at the next question. */
  question: Promise<Question>;
  answer: (answer: Answer) => void;
}

interface ToolRequest {
  readonly approvals: Approvals;
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

function begin({approvals, server, tool, args, context}: ToolRequest): PendingCall {
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
      return approvals.during(canElicit(server, context) ? askHost : undefined, () =>
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
