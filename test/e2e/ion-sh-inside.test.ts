import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {identities, plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {execFile, packageRoot, shellFile} from '../harness/package.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles} from '../harness/scratch.ts';

/** ion-sh inside a run is bash, in the boundary of the run. */
const cases: readonly {name: string; command: string; stdout?: string; code?: number; needs?: string}[] = [
  {name: 'ion-sh', command: `${shellFile} -c 'echo $0 $PPID; touch ../x' $BASHPID`, code: 1},
  {name: 'ion-exec', command: `${execFile} 'echo in'`, stdout: 'in\n'},
  {name: 'ion-sh with a file', command: `echo 'echo $1' > f; ${shellFile} f a`, stdout: 'a\n'},
  {name: 'ion-sh in ion-sh', command: `${shellFile} -c "${shellFile} -c 'echo in'"`, stdout: 'in\n'},
  {
    name: 'ion-exec with a second word',
    command: `${execFile} 'echo in' more || echo "exit $?"`,
    stdout: 'exit 125\n',
  },
  {
    name: 'ion-sh inside an inner ion run',
    command: `${process.execPath} ${packageRoot}/bin/ion run "${shellFile} -c 'echo in'"`,
    stdout: 'in\n',
  },
  {
    name: 'make with sub-makes and a jobserver',
    command: 'make --no-print-directory -j3 SHELL={shell}',
    stdout: 'sub\nsub\n',
    needs: 'make',
  },
];

for (const as of identities) {
  for (const {name, command, stdout, code = 0, needs} of cases) {
    test(`inside a run: ${name} (${as.name})`, async (t) => {
      if (needs !== undefined && !requireProgram(t, needs)) return;
      const scratch = makeScratch(t, as, {
        Makefile: 'all: a b\na b:\n\t@$(MAKE) -f sub.mk\n',
        'sub.mk': 'all:\n\t@echo sub\n',
      });
      const ended = await runIon(scratch, ['run', command.replace('{shell}', shellFile)], {as});
      assert.equal(ended.code, code, ended.stderr);
      if (stdout !== undefined) assert.equal(ended.stdout, stdout);
      // The outer run reports, and nothing starts a second one.
      assert.doesNotMatch(ended.stderr, /cannot start|no sandbox|jobserver unavailable/);
    });
  }
}

test('inside a run: the deny rules of the outer run hold', async (t) => {
  const scratch = makeScratch(t, plain, {
    '~/.ion/config.toml': '[permissions]\ndeny_commands = ["git push *"]\n',
  });
  const {code, stderr} = await runIon(scratch, ['run', `echo 'git push x' > s; ${shellFile} s`], {as: plain});
  assert.equal(code, 126, stderr);
  assert.match(stderr, /deny_commands "git push \*"/);
});

for (const as of identities) {
  test(`inside a run: ion run does not end with 125 for the user's own config (${as.name})`, async (t) => {
    const config =
      '[permissions]\ndeny_commands = ["git push *"]\nsandbox = { require = ["writes"] }\n[sandbox]\nnetwork = "loopback"\n';
    const scratch = makeScratch(t, as, {'~/.ion/config.toml': config});
    const ion = `${process.execPath} ${packageRoot}/bin/ion`;
    const {code, stdout, stderr} = await runIon(scratch, ['run', `${ion} run 'echo in; touch ../x'`], {as});
    assert.deepEqual([code, stdout], [1, 'in\n'], stderr);
    assert.match(stderr, /^ion: blocked: touch /m);
  });
}

const inner = `${process.execPath} ${packageRoot}/bin/ion`;

/** The settings of the outer run, in the inner one: none of them is in a file that the inner one could read by itself. */
const handedOver: readonly {
  name: string;
  sets: readonly string[];
  command: string;
  code: number;
  stderr?: RegExp;
}[] = [
  {
    name: 'a root for one run',
    sets: ['sandbox.write_roots+=[{path = "{root}/more", create = true}]'],
    command: 'echo x > {root}/more/f',
    code: 0,
  },
  {
    name: 'a denied command',
    sets: ['permissions.deny_commands+=["git push *"]'],
    command: 'git push x',
    code: 126,
    stderr: /^ --> the outer run:\d+$/m,
  },
  {name: 'a variable', sets: ['environment.keep+=["MY_TOKEN"]'], command: 'test "$MY_TOKEN" = x', code: 0},
  {name: 'a table of names', sets: ['sandbox.network.allow+=["example.org"]'], command: 'true', code: 0},
  {
    name: 'what is required',
    sets: ['permissions.sandbox={ require = ["writes"] }', 'sandbox.network="none"'],
    command: 'true',
    code: 0,
  },
  {name: 'a protected file', sets: ['sandbox.protect+=["keep"]'], command: 'echo x > keep', code: 1},
];

for (const as of identities) {
  for (const {name, sets, command, code, stderr} of handedOver) {
    test(`inside a run: ion run has the settings of the outer one: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const put = (text: string): string => text.replaceAll('{root}', scratch.root);
      const words = ['run', ...sets.flatMap((one) => ['--set', put(one)])];
      if ((await runIon(scratch, [...words, 'true'], {as})).code === 125)
        return t.skip('this machine cannot enforce it outside either');
      const ended = await runIon(scratch, [...words, `${inner} run '${put(command)}'`], {
        as,
        env: {MY_TOKEN: 'x'},
      });
      assert.equal(ended.code, code, ended.stderr);
      if (stderr) assert.match(ended.stderr, stderr);
    });
  }
}

test('inside a run: no command changes the settings that the run hands over', async (t) => {
  const scratch = makeScratch(t, plain);
  const file = `${packageRoot}/profiles/inside/config.toml`;
  const attempts = [
    `echo x > ${file}`,
    `echo x >> ${file}`,
    `rm -f ${file}`,
    `mv ${file} ${file}2`,
    `chmod u+w ${file}`,
    `touch ${packageRoot}/profiles/inside/new`,
  ];
  const command = `${attempts.map((one) => `{ ${one}; } && echo changed`).join('; ')}; grep -c ^sandbox.network ${file}`;
  const {stdout} = await runIon(scratch, ['run', command], {as: plain});
  assert.equal(stdout, '1\n');
});

test('inside a run: the record says so', async (t) => {
  const scratch = makeScratch(t, plain);
  const record = `${inner} run --events fd:3 true 3>&1 | grep -o '"inside_run":[a-z]*'`;
  const {stdout} = await runIon(scratch, ['run', '--events', 'events', record], {as: plain});
  assert.equal(stdout, '"inside_run":true\n');
});

test('outside a run: a config that cannot be read ends ion, whatever lies in its folder', async (t) => {
  const scratch = makeScratch(t, plain, {'~/.ion/config.toml': {text: '', mode: 0}});
  const folder = shellElsewhere(scratch);
  writeFiles(scratch, {'/ion/profiles/inside/run': '1\n'});
  giveTo(scratch.root, plain);
  const {code, stderr} = await runProgram(scratch, [`${folder}/ion-sh`, '-c', 'echo no'], {as: plain});
  assert.equal(code, 125);
  assert.match(stderr, /"~\/.ion\/config.toml" cannot be read: permission denied/);
});

test('outside a run: neither variables nor planted files make ion-sh believe that it is inside', async (t) => {
  const scratch = makeScratch(t, plain);
  const folder = shellElsewhere(scratch);
  writeFiles(scratch, {
    '/ion/profiles/inside/run': '1\n',
    '/ion/profiles/inside/config.toml': 'sandbox.write_roots = ["/var/tmp"]\n',
    'profiles/inside/run': '1\n',
  });
  giveTo(scratch.root, plain);
  const {code, stderr} = await runProgram(scratch, [`${folder}/ion-sh`, '-c', 'touch ../x'], {
    as: plain,
    env: {ION_INSIDE: '1', ION_SANDBOX: '1', ION: '1'},
  });
  assert.equal(code, 1);
  assert.match(stderr, /ion: blocked: touch .* could not change/);
});

test('outside a run: the kernel does not know the question', () => {
  const {status} = spawnSync('python3', [
    '-c',
    'import ctypes; exit(ctypes.CDLL(None).prctl(0x696f6e31, 0, 0, 0, 0) != -1)',
  ]);
  assert.equal(status, 0);
});
