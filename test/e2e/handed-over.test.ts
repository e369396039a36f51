import assert from 'node:assert/strict';
import {chmodSync, chownSync, mkdirSync, statSync, writeFileSync} from 'node:fs';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {isWhole} from '../harness/extent.ts';
import {identities, plain, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {ionFile} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Scripts that try to open their standard input for writing. Exit code 0 means success. */
const reopenings: readonly {name: string; script: string}[] = [
  {name: 'bash', script: ': > /dev/stdin'},
  {name: 'to read and write', script: ': <> /dev/stdin'},
  {name: '/proc/thread-self', script: ': > /proc/thread-self/fd/0'},
  {name: 'under another number', script: 'exec 7<&0; : > /dev/fd/7'},
  {name: 'that of another process', script: 'sleep 0.5 <&0 & : > /proc/$!/fd/0'},
  {
    name: 'through an O_PATH descriptor',
    script: `python3 -c 'import os; os.open("/proc/self/fd/%d" % os.open("/proc/self/fd/0", os.O_PATH), os.O_WRONLY)'`,
  },
  {
    name: 'from the folder of descriptors',
    script: `python3 -c 'import os; os.open("0", os.O_WRONLY | os.O_CREAT, dir_fd=os.open("/proc/self/fd", os.O_RDONLY))'`,
  },
];

/** Node makes its pipes from sockets, which cannot be opened again. */
const piped = ['bash', '-c', 'echo a | "$0" "$@"'];
/** A removed file, as a shell makes it for a here-document. */
const gone = ['bash', '-c', 'f=$(mktemp) && echo a > "$f" && exec < "$f" && rm "$f" && exec "$0" "$@"'];
const inputs: readonly {what: string; through: readonly string[]}[] = [
  {what: 'a pipe', through: piped},
  {what: 'a file that is gone', through: gone},
];
const without = [compiled('deny-syscalls.c'), ...noNamespaces, '--'];

for (const as of testers) {
  for (const {what, through} of inputs) {
    for (const {name, script} of reopenings) {
      test(`${what} on standard input is not written: ${name} (${as.name})`, async (t) => {
        if (!requireProgram(t, 'python3')) return;
        const scratch = makeScratch(t, as);
        if (isWhole) {
          const outside = await runIon(scratch, ['run', '--no-sandbox', script], {as, through});
          assert.equal(outside.code, 0, outside.stderr);
        }
        const {code, stderr} = await runIon(scratch, ['run', script], {as, through});
        assert.notEqual(code, 0);
        assert.match(stderr, /^ion: blocked: \S+ \(pid \d+\) could not write to "\/dev\/stdin" /m);
      });
    }
  }

  test(`a here-document that another process reads too is unchanged (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const lines = 'while read -r line; do echo "$line"; "$0" "$@"; done';
    const {stdout} = await runIon(
      scratch,
      ['run', 'python3 -c "import os; os.truncate(\'/dev/stdin\', 2)"'],
      {
        as,
        through: [...gone.slice(0, 2), gone[2]!.replace('echo a', 'seq 3').replace(/exec "\$0".*/, lines)],
      },
    );
    assert.equal(stdout, '1\n2\n3\n');
  });

  test(`the lines after ion, in a script that is piped into a shell, are unchanged (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const through = [
      'bash',
      '-c',
      'printf "%s\\n" "$0 $1 run \\"echo echo planted > /dev/stdin\\"" "echo next" | bash',
    ];
    const {stdout} = await runIon(scratch, [], {as, through: [...through, process.execPath, ionFile]});
    assert.equal(stdout, 'next\n');
  });

  test(`pipes can be opened again in the direction in which they were passed (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const script =
      'cat /dev/stdin; echo b > /dev/stdout; echo c > /dev/stderr; echo d | tee /dev/stderr; cat <(echo e); echo f > >(cat); wait $!';
    const pipes = '{ echo a | "$0" "$@" 2>&1 >&3 | sed "s/^/err /" >&2; } 3>&1 | cat';
    const {stdout, stderr} = await runIon(scratch, ['run', script], {as, through: ['bash', '-c', pipes]});
    assert.deepEqual([stdout, stderr], ['a\nb\nd\ne\nf\n', 'err c\nerr d\n']);
  });

  for (const [namespaces, through] of Object.entries({'': [], ', without namespaces': without})) {
    test(`the mode of a FIFO on standard input is unchanged${namespaces} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const fifo = `${scratch.root}/fifo`;
      execFileSync('mkfifo', ['-m', '600', fifo]);
      chownSync(fifo, as.uid, as.gid);
      const {code} = await runIon(scratch, ['run', 'chmod 666 /dev/stdin'], {
        as,
        through: ['bash', '-c', 'exec 3<>"$0" 0<"$0"; exec "$@" 3>&-', fifo, ...through],
      });
      assert.notEqual(code, 0);
      assert.equal(statSync(fifo).mode & 0o777, 0o600);
    });
  }
}

/**
 * Passes a connection to a server as standard input. Another server listens on PORT. Exit code 0 means that `attack`
 * reached it.
 */
const connection = `
import os, select, socket, subprocess, sys
def server():
    s = socket.create_server(('127.0.0.1', 0)); return s, s.getsockname()[1]
first, port = server()
other, target = server()
given = socket.create_connection(('127.0.0.1', port))
child = subprocess.Popen(sys.argv[1:], stdin=given, env={**os.environ, 'PORT': str(target)}, stdout=subprocess.PIPE)
out = child.stdout.readline().strip()
reached = bool(select.select([other], [], [], 0)[0])
if out.startswith(b'listens '):
    try: socket.create_connection(('127.0.0.1', int(out.split()[1])), 2); reached = True
    except OSError: pass
child.wait()
sys.exit(0 if reached else 9)
`;

const prelude = `
import ctypes, os, socket, sys, time
s = socket.socket(fileno=0)
libc = ctypes.CDLL(None, use_errno=True)
dissolved = libc.connect(0, bytes(16), 16)
`;

const escapes: readonly {name: string; code: string}[] = [
  {
    name: 'connected to another server',
    code: `${prelude}\ntry: s.connect(('127.0.0.1', int(os.environ['PORT'])))\nfinally: print('-', flush=True)`,
  },
  {
    name: 'listened on',
    code: `${prelude}\ntry: s.listen(1); print('listens', s.getsockname()[1], flush=True); time.sleep(1)\nexcept OSError: print('-', flush=True)`,
  },
];

for (const {name, code} of escapes) {
  for (const [namespaces, through] of Object.entries({namespaces: [], 'no namespaces': without})) {
    test(`a connection on standard input cannot be ${name} (${namespaces})`, async (t) => {
      if (!requireProgram(t, 'python3')) return;
      const scratch = makeScratch(t, plain);
      writeFileSync(`${scratch.root}/outer.py`, connection);
      writeFileSync(`${scratch.work}/inner.py`, code);
      const run = (...flags: string[]) =>
        runIon(scratch, ['run', ...flags, 'python3 inner.py 2>&1'], {
          as: plain,
          env: {PORT: undefined},
          through: ['python3', `${scratch.root}/outer.py`, ...through],
        });
      assert.equal((await run('--no-sandbox')).code, 0, 'outside the sandbox');
      assert.equal((await run()).code, 9);
    });
  }
}

test(
  'a file system that is mounted outside during a run does not appear inside',
  {skip: identities.length === 1},
  async (t) => {
    const scratch = makeScratch(t, plain);
    const place = `${scratch.root}/shared`;
    mkdirSync(`${place}/later`, {recursive: true});
    chmodSync(place, 0o755);
    // Runs in a new mount namespace. Its mounts are shared, as they are under systemd.
    const outer = `
    mount -t tmpfs none "$0" && mount --make-shared "$0" && mkdir -p "$0/later" && chmod 755 "$0" || exit 99
    "$@" & ion=$!
    while [ ! -e ${scratch.work}/begun ]; do sleep 0.05; done
    mount -t tmpfs none "$0/later"; echo x > "$0/later/file"; chmod 600 "$0/later/file"; touch ${scratch.work}/mounted
    wait $ion; stat -c %a "$0/later/file"`;
    const inner = `touch begun; until [ -e mounted ]; do sleep 0.05; done; chmod 777 ${place}/later/file; true`;
    const {code, stdout, stderr} = await runIon(scratch, ['run', inner], {
      through: ['unshare', '-m', 'bash', '-c', outer, place],
    });
    assert.deepEqual([code, stdout], [0, '600\n'], stderr);
  },
);
