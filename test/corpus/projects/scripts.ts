import type {Project} from '../projects.ts';

export const node: Project = {
  needs: ['node', 'npm'],
  files: {
    'package.json': `${JSON.stringify(
      {
        name: 'demo',
        version: '1.0.0',
        type: 'module',
        private: true,
        bin: {demo: 'src/cli.js'},
        scripts: {
          start: 'node src/cli.js',
          test: 'node --test --test-reporter=dot test/',
          build: 'node scripts/build.js',
          prebuild: 'echo before the build',
          lint: 'left-side --check src',
          serve: 'node scripts/serve.js',
          fails: 'exit 3',
        },
        dependencies: {'left-side': 'file:vendor/left-side', tiny: 'file:vendor/tiny-1.0.0.tgz'},
        workspaces: ['packages/*'],
      },
      undefined,
      2,
    )}\n`,
    'src/cli.js':
      "#!/usr/bin/env node\nimport {sum} from './sum.js';\nimport side from 'left-side';\nconsole.log(sum(2, 3), side(7));\n",
    'src/sum.js': 'export const sum = (a, b) => a + b;\n',
    'src/common.cjs': "module.exports = require('os').EOL === '\\n';\n",
    'src/types.ts': 'export const n: number = 1;\n',
    'test/sum.test.js':
      "import {test} from 'node:test';\nimport assert from 'node:assert';\nimport {sum} from '../src/sum.js';\ntest('sum', () => assert.equal(sum(1, 2), 3));\n",
    'test/server.test.js':
      "import {test} from 'node:test';\nimport assert from 'node:assert';\nimport {createServer} from 'node:http';\ntest('server', async () => {\n  const server = createServer((_, response) => response.end('ok'));\n  await new Promise((done) => server.listen(0, '127.0.0.1', done));\n  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);\n  assert.equal(await answer.text(), 'ok');\n  server.close();\n});\n",
    'scripts/build.js':
      "import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';\nmkdirSync('dist', {recursive: true});\nwriteFileSync('dist/sum.js', readFileSync('src/sum.js'));\nconsole.log('built');\n",
    'scripts/serve.js':
      "import {createServer} from 'node:http';\nconst server = createServer((q, r) => { r.end('served ' + q.url + '\\n'); if (q.url === '/quit') server.close(); });\nserver.listen(8123, '127.0.0.1', () => console.log('listening'));\n",
    // A minimal registry for npm: one package, on loopback.
    'scripts/registry.js':
      "import {createServer} from 'node:http';\nimport {createHash} from 'node:crypto';\nimport {readFileSync} from 'node:fs';\nconst tarball = readFileSync('vendor/tiny-1.0.0.tgz');\nconst integrity = 'sha512-' + createHash('sha512').update(tarball).digest('base64');\nconst dist = {tarball: 'http://127.0.0.1:8124/tiny.tgz', integrity};\ncreateServer((q, r) => r.end(q.url.endsWith('.tgz') ? tarball : JSON.stringify({name: 'tiny', 'dist-tags': {latest: '1.0.0'}, versions: {'1.0.0': {name: 'tiny', version: '1.0.0', dist}}}))).listen(8124, '127.0.0.1');\n",
    'scripts/parallel.js':
      "import {Worker} from 'node:worker_threads';\nimport {fork} from 'node:child_process';\nimport cluster from 'node:cluster';\nif (process.argv[2] === 'child') process.send('fork', () => process.disconnect());\nelse if (cluster.isWorker) process.send('cluster', () => process.disconnect());\nelse {\n  const answers = [];\n  const said = (text) => { answers.push(text); if (answers.length === 3) console.log(answers.sort().join(' ')); };\n  new Worker(\"require('node:worker_threads').parentPort.postMessage('worker')\", {eval: true}).on('message', said);\n  fork(process.argv[1], ['child']).on('message', said);\n  cluster.fork().on('message', said);\n}\n",
    'scripts/watch.js':
      "import {watch, writeFileSync, mkdirSync} from 'node:fs';\nmkdirSync('watched', {recursive: true});\nconst watcher = watch('watched', (type, name) => { console.log('saw', name); watcher.close(); });\nsetTimeout(() => writeFileSync('watched/x', 'x'), 50);\n",
    'packages/one/package.json':
      '{"name":"one","version":"1.0.0","main":"i.js","scripts":{"hello":"echo hello from one"}}\n',
    'packages/one/i.js': "module.exports = 'one';\n",
    'vendor/left-side/package.json':
      '{"name":"left-side","version":"1.0.0","main":"i.js","bin":{"left-side":"bin.js"}}\n',
    'vendor/left-side/i.js': 'module.exports = (n) => n * 6;\n',
    'vendor/left-side/bin.js': "#!/usr/bin/env node\nconsole.log('left-side', ...process.argv.slice(2));\n",
    'vendor/tiny/package.json':
      '{"name":"tiny","version":"1.0.0","main":"i.js","scripts":{"postinstall":"node -e \\"require(\'fs\').writeFileSync(\'made\', \'x\')\\""}}\n',
    'vendor/tiny/i.js': "module.exports = 'tiny';\n",
  },
  make: `(cd vendor && npm pack --silent ./tiny >/dev/null && rm -r tiny); npm install --silent --offline; rm -rf .npm .cache`,
};

export const python: Project = {
  needs: ['python3'],
  files: {
    'pyproject.toml': '[project]\nname = "demo"\nversion = "1.0"\n',
    'demo/__init__.py': 'VERSION = "1.0"\n',
    'demo/__main__.py': 'import sys\nfrom . import VERSION\nprint("demo", VERSION, *sys.argv[1:])\n',
    'demo/calc.py': 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n',
    'tests/__init__.py': '',
    'tests/test_calc.py':
      'import unittest\nfrom demo.calc import add\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n    def test_fails_never(self):\n        with self.assertRaises(TypeError):\n            add(1, "a")\n',
    'aio.py':
      'import asyncio, socket\nasync def child():\n    p = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)\n    return (await p.communicate())[0].decode().strip()\nasync def pair():\n    a, b = socket.socketpair()\n    r, w = await asyncio.open_connection(sock=a)\n    b.send(b"pair\\n")\n    return (await r.readline()).decode().strip()\nasync def main():\n    loop = asyncio.get_running_loop()\n    t = await loop.run_in_executor(None, lambda: "thread")\n    print(await child(), await pair(), t)\nasyncio.run(main())\n',
    'server.py':
      'import threading, http.server, urllib.request\ns = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)\nthreading.Thread(target=s.serve_forever, daemon=True).start()\nprint(urllib.request.urlopen(f"http://127.0.0.1:{s.server_port}/pyproject.toml").read().decode(), end="")\ns.shutdown()\n',
    'multi.py':
      'import multiprocessing as mp\nfrom multiprocessing import shared_memory\ndef square(x): return x * x\ndef put(q, lock):\n    with lock: q.put("queued")\nif __name__ == "__main__":\n    for method in ("fork", "spawn", "forkserver"):\n        ctx = mp.get_context(method)\n        with ctx.Pool(2) as pool: print(method, pool.map(square, range(4)))\n    q, lock = mp.Queue(), mp.Lock()\n    p = mp.Process(target=put, args=(q, lock)); p.start(); print(q.get()); p.join()\n    m = shared_memory.SharedMemory(create=True, size=8); m.buf[0] = 7; print(m.buf[0]); m.close(); m.unlink()\n    with mp.Manager() as manager: d = manager.dict(); d["a"] = 1; print(dict(d))\n',
    'wal.py':
      'import sqlite3\na = sqlite3.connect("wal.db"); print(a.execute("pragma journal_mode=wal").fetchone())\na.execute("create table t(x)"); a.execute("insert into t values(1)"); a.commit()\nb = sqlite3.connect("wal.db"); print(b.execute("select * from t").fetchall()); b.close(); a.close()\n',
    'pty_run.py':
      'import pty, os\nstatus = pty.spawn(["sh", "-c", "test -t 1 && echo on a terminal"])\nprint(os.waitstatus_to_exitcode(status))\n',
    'requirements.txt': '# none\n',
  },
};
