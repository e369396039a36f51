import assert from 'node:assert/strict';
import {copyFileSync, existsSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {own, testers} from '../harness/identity.ts';
import {findProgram, requireProgram, skip} from '../harness/must-run.ts';
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

const untilServes = (port: number): string =>
  `for i in {1..300}; do (: 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && break; sleep 0.1; done`;

const sshPort = 2022;

/** A repository, and a server of ssh for the user who starts it. Its files are in the workspace. Root's server wants /run/sshd. */
const serveSsh = `mkdir served ssh; cd ssh; ssh-keygen -qt ed25519 -N '' -f host; ssh-keygen -qt ed25519 -N '' -f key; cp key.pub allowed
git init -q ../served; echo reached >../served/file; git -C ../served add file
git -C ../served -c user.email=x -c user.name=x commit -qm x
export SERVE="/usr/sbin/sshd -De -f /dev/null -p ${sshPort} -h $PWD/host -o AuthorizedKeysFile=$PWD/allowed -o StrictModes=no -o UsePAM=no -o PidFile=none"
echo $$ >pid
[ $(id -u) = 0 ] && exec unshare -m bash -c 'mount -t tmpfs x /run && mkdir /run/sshd && exec $SERVE 2>log'
exec $SERVE 2>log`;

/** For a script that starts in the workspace. */
const sshVariables = `export SERVED="$(id -un)@plain.example:${sshPort}$PWD/served" GIT_SSH_COMMAND="ssh -F none -i $PWD/ssh/key -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
`;

interface Client {
  readonly name: string;
  readonly script: string;
  /** Left out where this program is not installed. */
  readonly needs?: string;
}

/** Programs with a resolver, a protocol or a certificate check of their own. Each prints "reached" as outside. */
const clients: readonly Client[] = [
  {name: 'curl over HTTP/2', script: `curl -sSk --http2 https://ok.example:${onHttp2}/`},
  {
    name: "node's http2, two streams of one connection",
    script: `node -e "
const session = require('http2').connect('https://ok.example:${onHttp2}', {rejectUnauthorized: false});
let left = 2;
for (const n of [1, 2]) session.request({':path': '/'}).on('data', (data) => console.log(String(data))).on('end', () => --left || session.close());"`,
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
    name: 'ssh, to the first line of a server',
    script: 'timeout 20 ssh -v -o BatchMode=yes plain.example 2>&1 | grep -a "banner line.*reached"',
  },
  {
    name: 'git over ssh, a whole clone',
    script: 'git -c user.name=x -c user.email=x clone -q "ssh://$SERVED" cloned && cat cloned/file',
  },
  {
    name: "python's requests",
    script: `python3 -c "import requests; print(requests.get('https://ok.example/', verify='cert.pem').text)"`,
  },
  {
    name: "Java's HttpClient",
    script: `cat >Reach.java <<'END'
import java.net.URI;
import java.net.http.*;
import java.security.cert.X509Certificate;
import javax.net.ssl.*;
class Reach {
  public static void main(String[] words) throws Exception {
    var trust = new X509ExtendedTrustManager() {
      public void checkClientTrusted(X509Certificate[] c, String a) {}
      public void checkServerTrusted(X509Certificate[] c, String a) {}
      public void checkClientTrusted(X509Certificate[] c, String a, java.net.Socket s) {}
      public void checkServerTrusted(X509Certificate[] c, String a, java.net.Socket s) {}
      public void checkClientTrusted(X509Certificate[] c, String a, SSLEngine e) {}
      public void checkServerTrusted(X509Certificate[] c, String a, SSLEngine e) {}
      public X509Certificate[] getAcceptedIssuers() { return new X509Certificate[0]; }
    };
    var context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {trust}, null);
    var client = HttpClient.newBuilder().sslContext(context).build();
    var request = HttpRequest.newBuilder(URI.create("https://ok.example/")).build();
    System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
END
java -Xshare:auto -XX:TieredStopAtLevel=1 Reach.java`,
    needs: 'javac',
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
    if (!requireProgram(t, 'curl', 'git', 'ssh', 'go', 'python3:requests')) return;
    if (!existsSync('/usr/sbin/sshd')) return skip(t, 'sshd is not installed');
    const scratch = makeScratch(t, as);
    const world = await openWorld(scratch, as);
    if (typeof world === 'string') return skip(t, world);
    copyFileSync(`${world.folder}/cert.pem`, path.join(scratch.work, 'cert.pem'));
    const there = clients.filter(({needs}) => needs === undefined || findProgram(needs) !== undefined);
    for (const {name} of clients.filter((one) => !there.includes(one)))
      t.diagnostic(`not installed: ${name}`);
    const script = together(there);
    const sshd = world.bash(serveSsh);
    await world.bash(untilServes(sshPort));
    const streams = 3;
    const ion = allowing(
      'ok.example',
      `ok.example:${onHttp2}`,
      'tcp://plain.example:22',
      `tcp://plain.example:${sshPort}`,
    );
    try {
      for (const run of [
        () => world.bash(`${sshVariables}mkdir outside; cp cert.pem outside; cd outside\n${script}`),
        () => world.ion([...ion, sshVariables + script]),
      ]) {
        const server = world.bash(serveHttp2(world.folder, streams));
        await world.bash(untilServes(onHttp2));
        const {stdout, stderr} = await run();
        for (const [n, {name}] of there.entries())
          assert.ok(reachedBy(stdout, n), `${name}: ${stdout}${stderr}`);
        // pip starts rustc, whose folders ion does not open.
        assert.doesNotMatch(stderr, /could not (?:look up|reach)/);
        await server;
      }
    } finally {
      await world.bash('kill $(cat ssh/pid)');
      await sshd;
    }
  });

const tools = clients.filter(({name}) => /^(?:git over https|pip|go)\b/.test(name));

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
