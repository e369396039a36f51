/** Messages that ion and the receiver could read in two ways. What was judged is what is sent. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {connectGateway, type Message} from '../../harness/mcp-gateway.ts';

const call = (params: object, id: number | string = 1) => ({id, method: 'tools/call', params});

const toServer: readonly (readonly [string, Message, params: object | undefined])[] = [
  ['other members of a call pass', call({name: 'a', _meta: {progressToken: 7}, task: {ttl: 1}}), undefined],
  ['a name in capital letters', call({name: 'a', Name: 'b', NAME: 'c'}), {name: 'a'}],
  [
    'arguments with a long s',
    call({name: 'a', arguments: {x: 1}, argumentſ: {x: 2}}),
    {name: 'a', arguments: {x: 1}},
  ],
  ['a name below __proto__', call(JSON.parse('{"name":"a","__proto__":{"name":"b"}}') as object), undefined],
  ['a lone surrogate', call({name: 'a', arguments: {x: '\ud800'}}), undefined],
  ["members of arguments are the server's", call({name: 'a', arguments: {name: 1, Name: 2}}), undefined],
];

for (const [name, message, params = message['params']] of toServer)
  test(`gateway, to the server: ${name}`, async () => {
    const judged: unknown[] = [];
    const gate = {
      call(tool: string, input: object) {
        judged.push([tool, input]);
        return Promise.resolve({end: () => undefined});
      },
    };
    const {say, turn, servers, close} = connectGateway({gate});
    await turn();
    say(message);
    await turn();
    assert.deepEqual(servers[0]!.heard, [{jsonrpc: '2.0', ...message, params}]);
    const {name: tool, arguments: input = {}} = params as {name: string; arguments?: object};
    assert.deepEqual(judged, [[tool, input]]);
    await close();
  });

const notSent: readonly (readonly [string, object, want: RegExp])[] = [
  ['arguments that are a list', call({name: 'a', arguments: ['../b']}), /-32602/],
  ['arguments that are a text', call({name: 'a', arguments: '{"path":"../b"}'}), /-32602/],
  ['a call without a name', call({Name: 'a'}), /-32602/],
  ['a method in capital letters', {id: 1, method: 'Tools/Call', params: {name: 'a'}}, /-32601/],
  ['a call as a notification', {method: 'tools/call', params: {name: 'a'}}, /^\[\]$/],
];

for (const [name, message, want] of notSent)
  test(`gateway, not to the server: ${name}`, async () => {
    const {got, say, turn, servers, close} = connectGateway();
    await turn();
    say(message);
    await turn();
    assert.deepEqual(servers[0]!.heard, []);
    assert.match(JSON.stringify(got), want);
    await close();
  });

test('gateway: a notification of another name passes with pass_unknown', async () => {
  const {say, turn, servers, warnings, close} = connectGateway({passUnknown: true});
  await turn();
  say({method: '$/cancel'});
  await turn();
  assert.deepEqual([servers[0]!.heard.length, warnings], [1, []]);
  await close();
});

const asks = 'The MCP server "x" asks, not ion: ';
const question = {message: 'ion asks', Message: 'ion asks for approval', messaGE: ''};
const named = {message: `${asks}ion asks`};
const elicitation = {method: 'elicitation/create', params: question};

/** The server's answer to the request with id 1, or a message of its own. */
const toClient: readonly (readonly [
  string,
  request: object | undefined,
  said: object,
  want: object | undefined,
])[] = [
  ['a question', undefined, {id: 5, ...elicitation}, {id: 5, ...elicitation, params: named}],
  ['a question as a notification', undefined, elicitation, undefined],
  [
    'a question in a result',
    call({name: 'a'}),
    {
      id: 1,
      result: {inputRequests: {a: {...elicitation, Params: question}}, InputRequests: {b: elicitation}},
    },
    {id: 1, result: {inputRequests: {a: {...elicitation, params: named}}}},
  ],
  [
    'a question in an error',
    call({name: 'a'}),
    {
      id: 1,
      error: {
        code: -32042,
        message: 'm',
        data: {elicitations: [{mode: 'url', ...question}], Elicitations: [question]},
      },
    },
    {id: 1, error: {code: -32042, message: 'm', data: {elicitations: [{mode: 'url', ...named}]}}},
  ],
  [
    'a second list of tools',
    {id: 1, method: 'tools/list'},
    {id: 1, result: {tools: [], Tools: [{name: 'hidden'}]}},
    {id: 1, result: {tools: []}},
  ],
  [
    'tools that are not a list',
    {id: 1, method: 'tools/list'},
    {id: 1, result: {tools: {hidden: {name: 'hidden'}}}},
    {id: 1, error: {code: -32603, message: 'the server "x" gives no list of tools'}},
  ],
  ['the same number as a text', {id: 1, method: 'ping'}, {id: '1', result: {}}, undefined],
];

for (const [name, request, said, want] of toClient)
  test(`gateway, to the client: ${name}`, async () => {
    const {got, say, turn, servers, close} = connectGateway();
    await turn();
    if (request) say(request);
    await turn();
    servers[0]!.say(said);
    // A failed call waits a little for refusals of the sandbox.
    for (let turns = 0; turns < 4; turns++) await turn();
    assert.deepEqual(got, want === undefined ? [] : [{jsonrpc: '2.0', ...want}]);
    await close();
  });
