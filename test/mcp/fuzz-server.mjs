// A server of the protocol that writes random lines before each of its answers.
import {createInterface} from 'node:readline';
import {fuzzLine, random} from './fuzz-lines.mjs';

const next = random(Number(process.argv[2]));
const answers = {
  initialize: ({protocolVersion}) => ({
    protocolVersion,
    capabilities: {tools: {}},
    serverInfo: {name: 'x', version: '1'},
  }),
  'tools/list': () => ({tools: [{name: 'noise', inputSchema: {type: 'object'}}]}),
  'tools/call': ({arguments: {lines}}) => {
    for (let count = 0; count < lines; count++) process.stdout.write(fuzzLine(next));
    return {content: [{type: 'text', text: 'said'}]};
  },
};

createInterface({input: process.stdin}).on('line', (line) => {
  const {id, method, params = {}} = JSON.parse(line);
  if (method === undefined || id === undefined) return;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', id, result})}\n`);
});
