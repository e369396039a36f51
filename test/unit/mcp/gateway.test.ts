/** What the gateway passes and refuses, message by message. The server is a stream: e2e tests have a real one in the sandbox. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {ToolGate} from '../../../src/mcp/gateway/tool-gate.ts';
import {connectGateway as connect} from '../../harness/mcp-gateway.ts';

const call = (id: number | string, name = 'echo') => ({id, method: 'tools/call', params: {name}});

test('gateway: an id that is in use is refused, and the first request still gets its answer', async () => {
  const {got, say, turn, servers, close} = connect();
  await turn();
  say({id: 1, method: 'ping'});
  say({id: 1, method: 'resources/list'});
  say({id: '1', method: 'ping'});
  await turn();
  assert.deepEqual(
    servers[0]!.heard.map(({id, method}) => [id, method]),
    [
      [1, 'ping'],
      ['1', 'ping'],
    ],
  );
  assert.match(JSON.stringify(got), /"id":1,"error":\{"code":-32600,"message":"this id is in use"/);
  servers[0]!.say({id: 1, result: {}});
  await turn();
  assert.deepEqual(got.at(-1), {jsonrpc: '2.0', id: 1, result: {}});
  say({id: 1, method: 'ping'}); // free again
  await turn();
  assert.equal(servers[0]!.heard.length, 3);
  await close();
});

test('gateway: an id of a call that is still being decided is in use', async () => {
  let decide: (answer: {end(): void}) => void;
  const waiting = new Promise<{end(): void}>((resolve) => (decide = resolve));
  const {got, say, turn, servers, close} = connect({gate: {call: () => waiting}});
  await turn();
  say(call(1));
  say({id: 1, method: 'ping'});
  await turn();
  assert.match(JSON.stringify(got), /this id is in use/);
  decide!({end: () => undefined});
  await turn();
  assert.deepEqual(
    servers[0]!.heard.map(({method}) => method),
    ['tools/call'],
  );
  await close();
});

test('gateway: a call that is cancelled while it is decided never reaches the server, and its record ends', async () => {
  const ends: boolean[] = [];
  let decide: (answer: {end(failed: boolean): void}) => void;
  const waiting = new Promise<{end(failed: boolean): void}>((resolve) => (decide = resolve));
  const {got, say, turn, servers, close} = connect({gate: {call: () => waiting}});
  await turn();
  say(call(1));
  await turn();
  say({method: 'notifications/cancelled', params: {requestId: 1}});
  await turn();
  decide!({end: (failed) => void ends.push(failed)});
  await turn();
  assert.deepEqual([got, servers[0]!.heard, ends], [[], [], [true]]);
  await close();
});

test('gateway: an answer that nobody asked for passes in neither direction', async () => {
  const {got, say, turn, servers, warnings, close} = connect();
  await turn();
  say({id: 5, result: {roots: []}});
  servers[0]!.say({id: 6, result: {}});
  servers[0]!.say({id: 's1', method: 'roots/list'});
  await turn();
  say({id: 's1', result: {roots: []}});
  say({id: 's1', result: {roots: ['again']}});
  await turn();
  assert.deepEqual(servers[0]!.heard, [{jsonrpc: '2.0', id: 's1', result: {roots: []}}]);
  assert.deepEqual(got, [{jsonrpc: '2.0', id: 's1', method: 'roots/list'}]);
  assert.equal(warnings.length, 2);
  await close();
});

test('gateway: no more than ten thousand requests wait, of either side', async () => {
  const {got, say, turn, servers, close} = connect();
  await turn();
  for (let id = 0; id < 10_002; id++) say({id, method: 'ping'});
  for (let id = 0; id < 10_002; id++) servers[0]!.say({id: `s${id}`, method: 'roots/list'});
  for (let tries = 0; tries < 100 && got.length < 10_002; tries++) await turn();
  assert.equal(servers[0]!.heard.length, 10_000);
  assert.equal(got.filter(({method}) => method === 'roots/list').length, 10_000);
  assert.equal(got.filter(({error}) => /too many requests/.test(JSON.stringify(error))).length, 2);
  await close();
});

test('gateway: a rule that denies the server denies everything that uses it', async () => {
  const {got, say, turn, servers, close} = connect({gate: {deniesServer: () => Promise.resolve(true)}});
  await turn();
  const methods = [
    ...['tools/list', 'tools/call', 'completion/complete', 'resources/list', 'resources/read'],
    ...['resources/templates/list', 'resources/subscribe', 'prompts/list', 'prompts/get'],
    'subscriptions/listen',
  ];
  for (const method of methods) say({id: method, method, params: {name: 'a'}});
  say({id: 'ping', method: 'ping'});
  await turn();
  assert.deepEqual(
    servers[0]!.heard.map(({method}) => method),
    ['ping'],
  );
  assert.deepEqual(
    got.map(({id}) => id),
    methods,
  );
  for (const {error} of got) assert.match(JSON.stringify(error), /a rule denies the server/);
  await close();
});

test('gateway: a question of the server in a result says whose it is', async () => {
  const {got, say, turn, servers, close} = connect();
  await turn();
  say(call(1));
  await turn();
  const question = {method: 'elicitation/create', params: {message: 'ion asks for approval: rm'}};
  const other = {method: 'roots/list'};
  servers[0]!.say({id: 1, result: {inputRequests: {a: question, b: other}, 'ion-sandbox/denials': []}});
  await turn();
  assert.deepEqual(got.at(-1)!['result'], {
    inputRequests: {
      a: {
        ...question,
        params: {message: 'The MCP server "x" asks, not ion: ion asks for approval: rm'},
      },
      b: other,
    },
  });
  await close();
});

test('gateway: only a client that said it can is asked', async () => {
  for (const [capabilities, want] of [
    [{}, false],
    [{elicitation: {}}, true],
  ] as const) {
    let canAsk: boolean | undefined;
    const gate: Partial<ToolGate> = {
      call() {
        canAsk = connection.approvals.asker.isAvailable!();
        return Promise.resolve({end: () => undefined});
      },
    };
    const connection = connect({gate});
    await connection.turn();
    connection.say({id: 0, method: 'initialize', params: {capabilities}});
    connection.say(call(1));
    await connection.turn();
    assert.equal(canAsk, want);
    await connection.close();
  }
});

test('gateway: a server that ends: open requests get errors, and it is greeted anew before it hears more', async () => {
  const {got, say, turn, servers, isHeld, code} = connect();
  await turn();
  const params = {capabilities: {}};
  say({id: 0, method: 'initialize', params});
  await turn();
  servers[0]!.say({id: 0, result: {}});
  say({method: 'notifications/initialized'});
  say({id: 1, method: 'ping'});
  await turn();
  servers[0]!.end();
  await turn();
  assert.match(JSON.stringify(got.at(-1)), /the server \\"x\\" has ended \(exit 7\)/);
  assert.equal(isHeld(), true, 'what the client sends now would be collected');
  say({id: 2, method: 'ping'});
  await turn();
  assert.deepEqual(
    servers[1]!.heard.map(({method}) => method),
    ['initialize'],
  );
  assert.deepEqual(servers[1]!.heard[0]!['params'], params);
  servers[1]!.say({id: servers[1]!.heard[0]!['id'], result: {}});
  await turn();
  assert.deepEqual(
    servers[1]!.heard.map(({method}) => method),
    ['initialize', 'notifications/initialized', 'ping'],
  );
  assert.equal(isHeld(), false);
  assert.equal(got.filter(({id}) => id === 0).length, 1, 'the client is not greeted again');
  for (const index of [1, 2, 3]) {
    servers[index]!.end();
    await turn();
    const greeting = servers[index + 1]?.heard[0];
    if (greeting) servers[index + 1]!.say({id: greeting['id'], result: {}});
    await turn();
  }
  assert.equal(await code, 1);
  assert.equal(servers.length, 4, 'three restarts in a minute');
});

test('gateway: neither side is read while the other does not read, and nothing is lost', async () => {
  const {got, say, turn, servers, toClient, isHeld, close} = connect();
  await turn();
  const [server] = servers as [(typeof servers)[number]];
  const {input, output, heard} = server;
  const large = {padding: 'x'.repeat(20_000)};
  for (const [receiver, isSenderHeld, send, count] of [
    [toClient, () => output.isPaused(), (message: object) => server.say(message), () => got.length],
    [input, isHeld, say, () => heard.length],
  ] as const) {
    receiver.pause();
    for (let number = 0; number < 5; number++) send({method: 'notifications/message', params: large});
    await turn();
    assert.equal(isSenderHeld(), true);
    assert.ok(receiver.writableLength + receiver.readableLength < 80_000, 'the rest was not read');
    receiver.resume();
    await turn();
    assert.deepEqual([isSenderHeld(), count()], [false, 5]);
  }
  await close();
});
