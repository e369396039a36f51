// A server of the protocol that answers at once. So the benchmark measures ion, which is between it and the client.
import {createInterface} from 'node:readline';

const say = (id, result) => process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', id, result})}\n`);
createInterface({input: process.stdin}).on('line', (line) => {
  const {id, method, params} = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    say(id, {
      protocolVersion: params.protocolVersion,
      capabilities: {tools: {}},
      serverInfo: {name: 'echo', version: '1'},
    });
  else if (method === 'tools/list') say(id, {tools: [{name: 'echo', inputSchema: {type: 'object'}}]});
  else if (method === 'tools/call') say(id, {content: [{type: 'text', text: params.arguments.value}]});
  else say(id, {});
});
