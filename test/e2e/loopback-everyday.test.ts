import assert from 'node:assert/strict';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Files} from '../harness/scratch.ts';
import {config, loopback, through} from '../harness/shared-loopback.ts';

interface Everyday {
  readonly name: string;
  readonly script: string;
  readonly files?: Files;
  readonly stdout: string;
  readonly needs: readonly string[];
}

const python = (code: string): string => `python3 - <<'END'\n${code}\nEND`;

/** A server on an unused port, in the background: `$port`. */
const httpServer = `python3 -u -m http.server 0 >log 2>&1 &
until port=$(grep -o 'port [0-9]*' log); do sleep 0.05; done
port=\${port#port }
`;

const everyday: readonly Everyday[] = [
  {
    name: "Python's http.server, curl and urllib",
    needs: ['python3', 'curl'],
    files: {index: 'page\n'},
    script: `${httpServer}
for host in 127.0.0.1 localhost; do curl -s "http://$host:$port/index"; done
python3 -c "import urllib.request as u; print(u.urlopen('http://localhost:$port/index').read())"`,
    stdout: "page\npage\nb'page\\n'\n",
  },
  {
    name: "Node's server on its default host, by every name",
    needs: ['node'],
    files: {
      's.js': `const server = require('http').createServer((_, r) => r.end('ok')).listen(0, async () => {
  const get = async (host) => (await fetch('http://' + host + ':' + server.address().port)).text();
  for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) console.log(await get(host));
  console.log((await Promise.all(Array.from({length: 100}, () => get('localhost')))).length);
  process.exit();
});`,
    },
    script: 'node s.js',
    stdout: 'ok\nok\nok\nok\n100\n',
  },
  {
    name: 'asyncio, 100 at once',
    needs: ['python3'],
    script: python(`import asyncio
async def echo(r, w):
    w.write(await r.read(5)); await w.drain(); w.close()
async def main():
    server = await asyncio.start_server(echo, '127.0.0.1', 0)
    async def one(i):
        r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
        w.write(b'%05d' % i)
        assert await r.read() == b'%05d' % i
        w.close()
    await asyncio.gather(*(one(i) for i in range(100)))
    print('all')
asyncio.run(main())`),
    stdout: 'all\n',
  },
  {
    name: 'multiprocessing: listeners and managers, by TCP and by unix sockets',
    needs: ['python3'],
    files: {
      'm.py': `import threading
from multiprocessing import Manager
from multiprocessing.connection import Client, Listener
from multiprocessing.managers import BaseManager
class Own(BaseManager): pass
Own.register('dict', dict)
if __name__ == '__main__':
    for where in ('localhost', 0), None:
        with Listener(where, authkey=b'key') as listener:
            thread = threading.Thread(target=lambda: listener.accept().send('sent'))
            thread.start()
            print(Client(listener.address, authkey=b'key').recv())
            thread.join()
    with Manager() as manager: print(manager.list([1]))
    with Own(('127.0.0.1', 0)) as own: print(own.dict({1: 2}))
`,
    },
    script: 'python3 m.py',
    stdout: 'sent\nsent\n[1]\n{1: 2}\n',
  },
  {
    name: 'errors are the same as outside',
    needs: ['python3'],
    script: python(`import errno, socket, select
def name(code): return errno.errorcode.get(code, code)
own = socket.socket(); own.bind(('127.0.0.1', 0)); own.listen()
port = own.getsockname()[1]
free = socket.socket(); free.bind(('127.0.0.1', 0))
print(name(socket.socket().connect_ex(free.getsockname())))
try: socket.socket().bind(('127.0.0.1', port))
except OSError as e: print(name(e.errno))
c = socket.socket(); c.setblocking(False)
print(name(c.connect_ex(own.getsockname())))
print(select.select([], [c], [], 9)[1] == [c], c.getsockopt(1, 4), name(c.connect_ex(own.getsockname())))
try: own.connect(own.getsockname())
except OSError as e: print(name(e.errno))
try: c.listen()
except OSError as e: print(name(e.errno))
own.shutdown(socket.SHUT_RDWR)
try: own.accept(); own.accept()
except OSError as e: print(name(e.errno))`),
    stdout: 'ECONNREFUSED\nEADDRINUSE\nEINPROGRESS\nTrue 0 EISCONN\nEISCONN\nEINVAL\nEINVAL\n',
  },
  {
    name: '50 MB, and the end of the stream',
    needs: ['python3'],
    script: python(`import socket, threading
own = socket.create_server(('127.0.0.1', 0))
def count():
    s, n = own.accept()[0], 0
    while d := s.recv(1 << 20): n += len(d)
    s.sendall(b'%d' % n); s.close()
threading.Thread(target=count).start()
s = socket.create_connection(own.getsockname())
s.sendall(bytes(50 << 20)); s.shutdown(socket.SHUT_WR)
print(s.recv(99))`),
    stdout: "b'52428800'\n",
  },
  {
    name: 'a server that a child inherits after its parent closed it',
    needs: ['python3'],
    script: python(`import os, socket, time
own = socket.create_server(('127.0.0.1', 0)); name = own.getsockname()
if os.fork() == 0:
    if os.fork() == 0: own.accept()[0].sendall(b'child')
    os._exit(0)
own.close(); os.wait()
print(socket.create_connection(name).recv(9))`),
    stdout: "b'child'\n",
  },
  {
    name: 'Java',
    needs: ['java'],
    files: {
      'L.java': `import java.net.*;
public class L {
  public static void main(String[] args) throws Exception {
    try (var server = new ServerSocket(0); var client = new Socket("localhost", server.getLocalPort()); var peer = server.accept()) {
      client.getOutputStream().write(65);
      System.out.println((char) peer.getInputStream().read());
    }
  }
}
`,
    },
    script: 'java L.java',
    stdout: 'A\n',
  },
  {
    name: 'Go',
    needs: ['go'],
    files: {
      'go.mod': 'module m\n',
      'main.go': `package main

import (
	"fmt"
	"net"
	"net/http"
)

func main() {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.NotFoundHandler())
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	answer, err := http.Get("http://localhost:" + port)
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.StatusCode)
}
`,
    },
    script: 'go run .',
    stdout: '404\n',
  },
];

for (const {name, script, files, stdout, needs} of everyday) {
  for (const as of testers) {
    test(`loopback on behalf: ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc', ...needs.filter((one) => !['go', 'java'].includes(one)))) return;
      const scratch = makeScratch(t, as, {...config, ...files});
      const ended = await runIon(scratch, [...loopback, script], {as, through: through(), timeoutMs: 90_000});
      if (ended.code === 127) return t.skip(`no ${needs.join()} for this user`);
      assert.deepEqual([ended.code, ended.stdout], [0, stdout], ended.stderr);
    });
  }
}
