import assert from 'node:assert/strict';
import {createServer} from 'node:net';
import {chmodSync} from 'node:fs';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const connect = `import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect("s"); print("connected")
except OSError as e: print(type(e).__name__)
`;

for (const as of identities) {
  test(`unix sockets: one that nobody serves any more is as outside (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {
      'left.py': 'import socket\nsocket.socket(socket.AF_UNIX).bind("s")\n',
      'connect.py': connect,
    });
    assert.equal((await runIon(scratch, ['run', '--no-sandbox', 'python3 left.py'], {as})).code, 0);
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 connect.py'], {as});
    assert.deepEqual([stdout, stderr], ['ConnectionRefusedError\n', '']);
  });

  test(`unix sockets: one of a process outside is refused, and what a grant means is said (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'connect.py': connect});
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(`${scratch.work}/s`, resolve));
    t.after(() => server.close());
    chmodSync(`${scratch.work}/s`, 0o777);
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 connect.py'], {as});
    assert.equal(stdout, 'PermissionError\n');
    assert.match(
      stderr,
      /^ion: blocked: python3\S* \(pid \d+\) could not connect to ".*\/s" \(connect: a socket of a process outside\)\nhelp: sandbox\.unix_sockets = \[".*\/s"\] in your own config allows it; what its server does for the command is not confined\n$/,
    );
    assert.equal(connections, 0);
    const outside = await runIon(scratch, ['run', '--no-sandbox', 'python3 connect.py'], {as});
    assert.equal(outside.stdout, 'connected\n');
  });
}
