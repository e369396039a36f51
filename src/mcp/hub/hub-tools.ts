import {quoted} from '../../errors.ts';
import {normalServer} from '../../config/server-name.ts';
import {failure, textResult, type ToolResult} from '../server/tool-result.ts';
import {integer, object, reads, text, type Call, type Tool} from '../server/tool-table.ts';
import type {Params} from '../wire/message.ts';
import type {Backend} from './backend.ts';
import {searchTools, type FoundTool} from './search-tools.ts';

interface SearchInput {
  readonly query?: string;
  readonly server?: string;
  readonly limit?: number;
}

interface CallInput {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: Params;
}

const shownAtMost = 10;
const namedAtMost = 200;

/**
 * The two tools in place of all tools of several servers. Their definitions would fill a model's context before its work starts.
 */
export function hubTools(backends: readonly Backend[], canAsk: () => boolean): Tool[] {
  const names = backends.map(({server}) => server);
  const find = (server: string): Backend | undefined =>
    backends.find((one) => normalServer(one.server) === normalServer(server));
  const unknown = (server: string): ToolResult =>
    failure(`ion: no server has the name ${quoted(server)}; the servers are: ${names.join(', ')}\n`, {
      servers: names,
    });
  const serverText = text(`one of: ${names.join(', ')}`);
  return [
    {
      name: 'tool_search',
      title: 'Search tools',
      description: `Finds tools of the servers ${names.join(', ')} by what they do, and describes them with their parameters. Without a query it names all tools.`,
      input: object({
        'query?': text('words of what the tool should do, or of its name'),
        'server?': serverText,
        'limit?': integer('at most this many', 1, 50),
      }),
      hints: reads,
      async call({query = '', server, limit = shownAtMost}: SearchInput) {
        const chosen = server === undefined ? undefined : find(server);
        if (server !== undefined && !chosen) return unknown(server);
        const {tools, silent} = await toolsOf(chosen ? [chosen] : backends, canAsk());
        const found = searchTools(tools, query);
        return query.trim() === ''
          ? namedTools(found, silent)
          : describedTools(found.slice(0, limit), silent);
      },
    },
    {
      name: 'call_tool',
      title: 'Call a tool',
      description: 'Calls a tool that "tool_search" has found, and returns its result.',
      input: object({
        server: serverText,
        tool: text('the name of the tool'),
        'arguments?': {type: 'object', description: 'as the inputSchema of the tool says'},
      }),
      hints: {readOnlyHint: false, destructiveHint: true, openWorldHint: true},
      async call({server, tool, arguments: input = {}}: CallInput, call: Call) {
        const backend = find(server);
        if (!backend) return unknown(server);
        return (await backend.call(tool, input, call, canAsk())) as unknown as ToolResult;
      },
    },
  ] satisfies readonly Tool[] as Tool[];
}

interface Listed {
  readonly tools: readonly FoundTool[];
  /** Servers that give no list. */
  readonly silent: readonly string[];
}

async function toolsOf(backends: readonly Backend[], canAsk: boolean): Promise<Listed> {
  const lists = await Promise.all(
    backends.map(async (one) => ({server: one.server, list: await one.tools(canAsk)})),
  );
  return {
    tools: lists.flatMap(({server, list = []}) => list.map((definition) => ({server, definition}))),
    silent: lists.flatMap(({server, list}) => (list ? [] : [server])),
  };
}

function namedTools(found: readonly FoundTool[], silent: readonly string[]): ToolResult {
  const tools = found
    .slice(0, namedAtMost)
    .map(({server, definition}) => ({server, tool: definition['name'] as string}));
  const lines = tools.map(({server, tool}) => `${server} ${tool}`);
  const more = found.length - tools.length;
  return textResult([...lines, ...(more > 0 ? [`(${more} more)`] : []), ...silence(silent)].join('\n'), {
    tools,
    total: found.length,
    servers_without_answer: silent,
  });
}

function describedTools(found: readonly FoundTool[], silent: readonly string[]): ToolResult {
  const tools = found.map(({server, definition}) => {
    const {name, ...rest} = definition;
    return {server, tool: name, ...rest};
  });
  const lines = tools.length === 0 ? ['no tool fits'] : tools.map((one) => JSON.stringify(one));
  return textResult([...lines, ...silence(silent)].join('\n'), {tools, servers_without_answer: silent});
}

function silence(silent: readonly string[]): string[] {
  return silent.map((server) => `the server ${server} gives no list of its tools`);
}
