import assert from 'node:assert/strict';
import {copyFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {own, testers} from '../harness/identity.ts';
import {requireProgram, skip} from '../harness/must-run.ts';
import {allowing, reachedBy, together} from '../harness/network-scripts.ts';
import {openWorld} from '../harness/network-world.ts';
import {makeScratch} from '../harness/scratch.ts';

const onHttp2 = 8444;

/** A server with HTTP/2 alone. It ends after this many streams. */
const serveHttp2 = (folder: string, streams: number): string => `timeout 100 node -e "
const {readFileSync} = require('fs');
const server = require('http2').createSecureServer({key: readFileSync('${folder}/key.pem'), cert: readFileSync('${folder}/cert.pem')});
let left = ${streams};
server.on('stream', (stream) => {
  stream.respond({':status': 200});
  stream.end('reached');
  stream.on('close', () => --left || setTimeout(() => process.exit(), 500));
});
server.listen(${onHttp2});"`;

const untilHttp2 = `for i in {1..300}; do (: 3<>/dev/tcp/127.0.0.1/${onHttp2}) 2>/dev/null && break; sleep 0.1; done`;

/** Programs with a resolver, a protocol or a certificate check of their own. Each prints "reached" as outside. */
const clients = [
  {name: 'curl over HTTP/2', script: `curl -sSk --http2 https://ok.example:${onHttp2}/`, http2: true},
  {
    name: "node's http2, two streams of one connection",
    script: `node -e "
const session = require('http2').connect('https://ok.example:${onHttp2}', {rejectUnauthorized: false});
let left = 2;
for (const n of [1, 2]) session.request({':path': '/'}).on('data', (data) => console.log(String(data))).on('end', () => --left || session.close());"`,
    http2: true,
  },
  {
    name: "c-ares (node's dns.Resolver)",
    script: `node -e "
const resolver = new (require('dns').promises.Resolver)();
resolver.resolve4('ok.example').then(([host]) => {
  const socket = require('tls').connect({host, port: 443, servername: 'ok.example', rejectUnauthorized: false});
  socket.write('GET / HTTP/1.0\\r\\nHost: ok.example\\r\\n\\r\\n');
  socket.on('data', (data) => { console.log(String(data)); process.exit(); });
});"`,
  },
  {
    name: 'git over https',
    script: 'git -c http.sslCAInfo=$PWD/cert.pem ls-remote https://ok.example/x.git',
  },
  {
    // No server of ssh is in the world: the first line that it sends is enough to see that the connection stands.
    name: 'ssh, to the first line of a server',
    script: 'timeout 20 ssh -v -o BatchMode=yes plain.example 2>&1 | grep -a "banner line.*reached"',
  },
  {
    name: 'pip',
    script:
      'python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check --cert cert.pem -i https://ok.example/simple reached && venv/bin/python -c "import reached"',
  },
  ...['go', 'cgo'].map((resolver) => ({
    name: `go with the resolver "${resolver}"`,
    script: `mkdir ${resolver} && cd ${resolver} && printf 'module x\\nrequire reached.example/m v1.0.0\\n' >go.mod && SSL_CERT_FILE=$PWD/../cert.pem GOPATH=$PWD/path GOSUMDB=off GOTOOLCHAIN=local GOPROXY=https://ok.example GODEBUG=netdns=${resolver} go mod download -json reached.example/m@v1.0.0`,
  })),
];

for (const as of testers)
  test(`network names: clients with protocols and resolvers of their own (${as.name})`, async (t) => {
    if (!requireProgram(t, 'curl', 'git', 'ssh', 'go', 'python3')) return;
    const scratch = makeScratch(t, as);
    const world = await openWorld(scratch, as);
    if (typeof world === 'string') return skip(t, world);
    copyFileSync(`${world.folder}/cert.pem`, path.join(scratch.work, 'cert.pem'));
    const streams = 3;
    const ion = allowing('ok.example', `ok.example:${onHttp2}`, 'tcp://plain.example:22');
    for (const run of [
      () => world.bash(`mkdir outside; cp cert.pem outside; cd outside\n${together(clients)}`),
      () => world.ion([...ion, together(clients)]),
    ]) {
      const server = world.bash(serveHttp2(world.folder, streams));
      await world.bash(untilHttp2);
      const {stdout, stderr} = await run();
      for (const [n, {name}] of clients.entries())
        assert.ok(reachedBy(stdout, n), `${name}: ${stdout}${stderr}`);
      // pip starts rustc, whose folders ion does not open.
      assert.doesNotMatch(stderr, /could not (?:look up|reach)/);
      await server;
    }
  });

const tools = clients.filter(({name}) => /^(?:git|pip|go)\b/.test(name));

test('network names: git, pip and go work with the names that "*" proposes', async (t) => {
  if (!requireProgram(t, 'git', 'go', 'python3')) return;
  const scratch = makeScratch(t, own);
  const world = await openWorld(scratch, own);
  if (typeof world === 'string') return skip(t, world);
  copyFileSync(`${world.folder}/cert.pem`, path.join(scratch.work, 'cert.pem'));
  const script = (folder: string) =>
    `mkdir ${folder}; cp cert.pem ${folder}; cd ${folder}\n${together(tools)}`;
  const learning = await world.ion([...allowing('*'), script('first')]);
  const list = /sandbox\.network\.allow = (\[.*\])$/m.exec(learning.stderr)?.[1];
  assert.equal(list, '["ok.example"]', learning.stderr);
  const {stdout, stderr} = await world.ion([
    ...allowing(...(JSON.parse(list) as string[])),
    script('second'),
  ]);
  for (const [n, {name}] of tools.entries()) assert.ok(reachedBy(stdout, n), `${name}: ${stdout}${stderr}`);
  // pip starts rustc, whose folders ion does not open.
  assert.doesNotMatch(stderr, /could not (?:look up|reach)/);
});
