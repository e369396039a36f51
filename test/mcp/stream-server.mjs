// A server of the protocol whose streams misbehave, for the tests of `ion mcp wrap`.
import {readFileSync, writeFileSync, writeSync} from 'node:fs';
import {createInterface} from 'node:readline';

const put = (text) => {
  for (let at = 0; at < text.length;) at += write(text.slice(at, at + 65_536));
};
const write = (part) => {
  try {
    return writeSync(1, part);
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    return 0;
  }
};
const say = (message) => put(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
const text = (value) => ({content: [{type: 'text', text: String(value)}]});
const changed = {jsonrpc: '2.0', method: 'notifications/tools/list_changed'};

const storm = (padding) => ({...changed, params: {padding}});
const progress = ({progressToken}, message) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: {progressToken, progress: 1, message},
});

/** What it lists: a table of names and descriptions that a test can change while it runs. */
const listed = () =>
  Object.entries(JSON.parse(readFileSync('tools.json', 'utf8'))).map(([name, description]) => ({
    name,
    description,
    inputSchema: {type: 'object'},
  }));

const calls = {
  echo: (_, {value}) => text(value),
  storm(_, {count, padding = 0, isProgress}, meta) {
    const message = isProgress ? progress(meta, 'x'.repeat(padding)) : storm('x'.repeat(padding));
    for (let done = 0; done < count; done++) {
      put(`${JSON.stringify(message)}\n`);
      if (done % 20 === 0) writeFileSync('progress', String(done));
    }
    return text('said');
  },
  long(_, {megabytes}) {
    const part = 'x'.repeat(1024 * 1024);
    for (let done = 0; done < megabytes; done++) put(part);
    put('\n');
    return text('said');
  },
  silent: () => undefined,
  half(id) {
    put(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"resu`);
    process.exit(0);
  },
  last(id, {bytes}) {
    say({id, result: text('x'.repeat(bytes))});
    process.exit(0);
  },
  become(_, tools) {
    writeFileSync('tools.json', JSON.stringify(tools));
    put(`${JSON.stringify(changed)}\n`);
    return text('became');
  },
};

process.on('SIGTERM', () => undefined);
createInterface({input: process.stdin}).on('line', (line) => {
  const {id, method, params = {}} = JSON.parse(line);
  if (id === undefined || method === undefined) return undefined;
  if (method === 'tools/list') return say({id, result: {tools: listed()}});
  if (method === 'initialize')
    return say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: {tools: {listChanged: true}},
        serverInfo: {name: 'x', version: '1'},
      },
    });
  const result = calls[params.name]?.(id, params.arguments ?? {}, params._meta);
  return result && say({id, result});
});
// It does not end with its input.
setInterval(() => undefined, 1000);
