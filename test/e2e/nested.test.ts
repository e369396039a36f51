import assert from 'node:assert/strict';
import {test} from 'node:test';
import {identities, testers} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

interface Facts {
  readonly exit_code: number;
  readonly sandbox: {readonly enforcement: readonly {readonly protection: string; readonly level: string}[]};
}

for (const as of identities) {
  test(`ion inside ion: the inner sandbox holds, and reports what is weaker (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'in/': ''});
    const ion = `${process.execPath} ${ionFile}`;
    const script = `cd in; ${ion} run --json 'echo inner; echo x > f; echo x > ../f || exit 7'`;
    const {code, stdout, stderr} = await runIon(scratch, ['run', script], {as});
    // The outer sandbox would allow a write to `../f`: only the inner one refuses it.
    assert.deepEqual([code, stdout], [7, 'inner\n'], stderr);
    const line = stderr.split('\n').find((one) => one.startsWith('{'));
    assert.ok(line, stderr);
    const {sandbox, exit_code} = JSON.parse(line) as Facts;
    assert.equal(exit_code, 7);
    const level = (id: string): string | undefined =>
      sandbox.enforcement.find(({protection}) => protection === id)?.level;
    // The kernel allows one listener per chain of filters. The inner run has none, so refusals are not reported.
    assert.deepEqual([level('writes'), level('kernel'), level('reported')], ['enforced', 'enforced', 'not']);
  });

  test(`ion inside ion: paths that the outer one denies stay denied (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const ion = `${process.execPath} ${ionFile}`;
    const {code} = await runIon(scratch, ['run', `${ion} run --no-sandbox 'echo x > ../f'`], {as});
    assert.notEqual(code, 0);
  });
}

for (const as of testers) {
  test(`ion inside ion: nothing is said of the audit log, and ion why says where it works (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const ion = `${process.execPath} ${ionFile}`;
    assert.equal((await runIon(scratch, ['run', 'true'], {as})).code, 0);
    const inner = await runIon(scratch, ['run', `${ion} run 'echo inner'`], {as});
    assert.deepEqual([inner.code, inner.stdout, inner.stderr], [0, 'inner\n', '']);
    for (const command of ['why', 'allow']) {
      const {code, stderr} = await runIon(scratch, ['run', `${ion} ${command}`], {as});
      assert.equal(code, 125);
      assert.match(
        stderr,
        /^ion: a command in the sandbox does not see what was refused\nhelp: at ion's prompt: \/why, \/allow; /,
      );
    }
  });
}

for (const as of testers) {
  test(`ion inside ion: doctor works in the workspace, because home is closed (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const {code, stdout, stderr} = await runIon(scratch, ['run', `${process.execPath} ${ionFile} doctor`], {
      as,
      timeoutMs: 120_000,
    });
    assert.deepEqual([code, stdout.split('\n')[0]], [0, 'every tested protection held'], stderr);
  });
}
