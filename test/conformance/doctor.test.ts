import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {requireProgram} from '../harness/must-run.ts';
import {identities, own, testers} from '../harness/identity.ts';
import {runIon, type Ended} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';
import {runAmongServers} from '../../src/doctor/named-servers.ts';
import {attacks} from '../../src/doctor/self-test.ts';
import {protections} from '../../src/sandbox/matrix/matrix.ts';
import {chosen, nameOf} from './judge.ts';
import {environmentOn, through} from './world.ts';

interface Doctor {
  readonly protections: readonly {
    readonly id: string;
    readonly level: string;
    readonly by: string;
    readonly tried: string;
    readonly why: string | null;
  }[];
}

interface Facts {
  readonly sandbox: {
    readonly enforcement: readonly {
      readonly protection: string;
      readonly level: string;
      readonly by: string;
    }[];
  };
}

/** Doctor and run must report the same levels. */
function assertSameLevels(rows: Doctor['protections'], {stderr}: Ended): void {
  const {enforcement} = (JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as Facts).sandbox;
  const said = new Map(enforcement.map(({protection, level, by}) => [protection, `${level} ${by}`]));
  // A run without denied paths, and with the network closed, does not report protections that are switched off.
  for (const {id, level, by} of rows) assert.equal(said.get(id) ?? `${level} ${by}`, `${level} ${by}`, id);
}

/**
 * On each reduced kernel, `ion doctor` attacks what a run claims. No claim may fail. `npm test` has only this kernel, which
 * the next test attacks in the same way.
 */
for (const column of isWhole ? chosen : []) {
  test(`doctor: ${nameOf(column)}`, async (t) => {
    if (!requireProgram(t, 'cc', 'python3')) return;
    const scratch = makeScratch(t, column.as);
    const options = {as: identities[0]!, env: environmentOn(column), through: through(column)};
    const doctor = await runIon(scratch, ['doctor', '--json'], {...options, timeoutMs: 120_000});
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    const rows = (JSON.parse(doctor.stdout) as Doctor).protections;
    assert.deepEqual(rows.map(({id}) => id).toSorted(), protections.map(({id}) => id).toSorted());
    for (const {id, tried, why} of rows) {
      assert.ok(tried === 'not tried' ? why : why === null, `${id}: ${tried}, ${why}`);
    }
    const run = await runIon(scratch, ['run', '--json', 'true'], options);
    assertSameLevels(rows, run);
  });
}

for (const as of testers) {
  test(`doctor: here everything is tried (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'unshare')) return;
    const scratch = makeScratch(t, as);
    // A mount of another process appears in each mount namespace that does not prevent it.
    const through =
      as.uid === 0 && process.getuid!() === 0 ? ['unshare', '-m', '--propagation', 'shared'] : [];
    const {code, stdout} = await runIon(scratch, ['doctor', '--json'], {as, through, timeoutMs: 120_000});
    assert.equal(code, 0, stdout);
    const rows = (JSON.parse(stdout) as Doctor).protections;
    assertSameLevels(rows, await runIon(scratch, ['run', '--json', 'true'], {as, through}));
    const names = rows.find(({id}) => id === 'network-names');
    assert.match(names!.by, /; connections open exactly as outside$/);
    const open = rows.filter(({tried}) => tried === 'not tried').map(({id, why}) => `${id}: ${why}`);
    // ion does not attack features that the kernel lacks, nor hooks outside the sandbox. Only root can drop its ids, read
    // secrets and mount.
    assert.deepEqual(
      open.filter(
        (line) =>
          !/^(devices|terminal|hooks-outside): /.test(line) &&
          (as.uid === 0 || !/^(identity|etc|etc-later|mounted-later): /.test(line)),
      ),
      [],
    );
  });
}

test('doctor: there is an attack on every protection', () => {
  for (const {id} of protections) assert.ok(attacks[id].length > 0, id);
});

test('doctor: without ion, the attacks among servers succeed', async (t) => {
  if (!requireProgram(t, 'python3', 'unshare')) return;
  const {work} = makeScratch(t, own);
  const list = Object.values(attacks).flatMap((all) => all.filter(({servers}) => servers));
  assert.ok(list.length > 0);
  for (const {name, script} of list) {
    const code = await runAmongServers(['bash', '-c', script], {cwd: work, environment: process.env});
    assert.equal(code, 0, name);
  }
});

test('doctor: it ends with 1 when a claim does not hold', async (t) => {
  const scratch = makeScratch(t, identities[0]!);
  // A fake python3 that always exits with 0, so the attacks that use it seem to succeed.
  mkdirSync(`${scratch.root}/bin`);
  writeFileSync(`${scratch.root}/bin/python3`, '#!/bin/sh\nexit 0\n', {mode: 0o755});
  const {code, stdout} = await runIon(scratch, ['doctor'], {
    as: identities[0]!,
    env: {PATH: `${scratch.root}/bin:${process.env['PATH']}`},
    timeoutMs: 120_000,
  });
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^\d+ protections failed: do not rely on ion here\n/);
  assert.match(
    stdout,
    /\nfailed\n(?: .*\n)* {2}process-limits +no limit of a process outside the run can be changed\n/,
  );
});
