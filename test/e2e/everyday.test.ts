import {testCases} from '../harness/cases.ts';

const id = '-c user.name=a -c user.email=a@b -c commit.gpgsign=false';
const repository = `git init -q . && echo one > f && git add f && git ${id} commit -qm one`;

/** Everyday work, which must succeed unchanged. */
testCases('everyday', [
  {
    name: 'git: branch, merge, stash, rebase, tag, gc',
    args: [
      'run',
      `set -e; ${repository}; git switch -qc topic; echo two >> f; git ${id} commit -qam two
git switch -q -; git ${id} merge -q --no-ff --no-edit topic; echo three >> f; git ${id} stash -q; git ${id} stash pop -q; git checkout -q f
git switch -q topic; git ${id} commit -q --allow-empty -m three; git ${id} rebase -q HEAD~1 --force-rebase; git tag v1; git gc -q; git fsck --no-progress --no-dangling; git log --format=%s`,
    ],
    stdout: 'three\ntwo\none\n',
  },
  {
    name: 'git: clone of a local repository, fetch, push to it',
    args: [
      'run',
      `set -e; mkdir a; cd a; ${repository}; cd ..; git clone -q --bare a bare.git; git clone -q bare.git b; cd b; echo x > g; git add g; git ${id} commit -qm g; git push -q origin HEAD; git -C ../bare.git log --format=%s`,
    ],
    stdout: 'g\none\n',
  },
  {
    name: 'git: a linked worktree',
    args: [
      'run',
      `set -e; mkdir a; cd a; ${repository}; git worktree add -q ../b; cd ../b; echo y > g; git add g; git ${id} commit -qm g; git log --format=%s`,
    ],
    stdout: 'g\none\n',
  },
  {
    name: 'node: a module, a child process, a worker',
    files: {
      'main.mjs': `import {Worker} from 'node:worker_threads';
import {execFileSync, fork} from 'node:child_process';
console.log(execFileSync('echo', ['child']).toString().trim());
new Worker("require('node:worker_threads').parentPort.postMessage('worker')", {eval: true}).on('message', (text) => {
  console.log(text);
  fork('child.mjs').on('message', (m) => console.log(m));
});
`,
      'child.mjs': "process.send('fork');\n",
    },
    args: ['run', `${process.execPath} main.mjs`],
    stdout: 'child\nworker\nfork\n',
  },
  {
    name: 'npm: a script, and a package from the workspace',
    files: {
      'package.json':
        '{"name":"a","version":"1.0.0","scripts":{"test":"node -p 6*7"},"dependencies":{"dep":"file:./dep"}}',
      'dep/package.json': '{"name":"dep","version":"1.0.0","main":"x.js"}',
      'dep/x.js': 'module.exports = "dep";\n',
    },
    env: {npm_config_cache: '/tmp/ion-test-npm-cache', npm_config_update_notifier: 'false'},
    args: [
      'run',
      `npm install --silent --offline --no-audit --no-fund && npm test --silent && node -p 'require("dep")'; rm -rf /tmp/ion-test-npm-cache`,
    ],
    stdout: '42\ndep\n',
    needs: ['npm'],
    timeoutMs: 60_000,
  },
  {
    name: 'python: venv-free modules, subprocess, asyncio, multiprocessing',
    files: {
      'main.py': `import asyncio, subprocess, multiprocessing, sqlite3, tempfile
def square(x): return x * x
async def main():
    process = await asyncio.create_subprocess_exec('echo', 'async')
    await process.wait()
if __name__ == '__main__':
    asyncio.run(main())
    with multiprocessing.Pool(2) as pool: print(pool.map(square, [1, 2, 3]))
    db = sqlite3.connect('x.db'); db.execute('pragma journal_mode=wal'); db.execute('create table t(x)'); db.commit()
    print(subprocess.check_output(['echo', 'sub'], text=True).strip())
    with tempfile.TemporaryDirectory() as d: print(d.startswith('/tmp/'))
`,
    },
    args: ['run', '/usr/bin/python3 main.py'],
    stdout: 'async\n[1, 4, 9]\nsub\nTrue\n',
    needs: ['python3'],
  },
  {
    name: 'C: gcc and make',
    files: {
      'main.c':
        '#include <stdio.h>\n#include <math.h>\nint main(void) { printf("%.0f\\n", sqrt(1764)); return 0; }\n',
      Makefile: 'all: main\n\t./main\nmain: main.o\n\t$(CC) -o $@ $< -lm\n',
    },
    args: ['run', 'make -s -j2'],
    stdout: '42\n',
    needs: ['gcc', 'make'],
  },
  {
    name: 'tar, find, xargs, sed, awk, diff, patch-like edits',
    args: [
      'run',
      `set -e; mkdir -p d/e; seq 100 > d/e/n; tar czf x.tgz d; rm -r d; tar xzf x.tgz; find d -type f -print0 | xargs -0 wc -l; sed -i s/^100$/hundred/ d/e/n; tail -n1 d/e/n; awk '{s+=$1} END {print s}' d/e/n; cp -a d d2; ln d/e/n d/e/hard; ln -s n d/e/soft; mv d/e d/f; diff -r d2/e/n d/f/soft && echo same`,
    ],
    stdout: '100 d/e/n\nhundred\n4950\nsame\n',
  },
  {
    name: 'a file lock, a FIFO, a socket of its own, an inotify-free watch',
    args: [
      'run',
      "set -e; flock lock echo locked; mkfifo p; echo fifo > p & cat p; python3 -c \"import socket; a = socket.socket(socket.AF_UNIX); a.bind('s'); a.listen(); b = socket.socket(socket.AF_UNIX); b.connect('s'); print('unix')\"",
    ],
    stdout: 'locked\nfifo\nunix\n',
    needs: ['python3', 'flock'],
  },
]);
