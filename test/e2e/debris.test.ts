import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {childrenOf, endThoseThatName, killTogether, until} from '../harness/processes.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

const config = 'private.toml';
const privateTemp = '[sandbox]\ntmp = "private"\n';
/** A folder in the private folder that only its owner can open again. */
const script = 'mkdir -p $TMPDIR/d/e && touch $TMPDIR/d/e/f && chmod 0 $TMPDIR/d; touch written; sleep 300';

/** A repository, and a run in it with a private temp folder. Processes that the test leaves are ended. */
function inRepository(
  t: TestContext,
  as: Identity,
): {readonly scratch: Scratch; readonly run: readonly string[]; readonly env: Record<string, string>} {
  const scratch = makeScratch(t, as, {'/temp/': '', [`/${config}`]: privateTemp});
  t.after(() => endThoseThatName(scratch.root));
  makeRepository(scratch, as);
  return {
    scratch,
    run: ['run', '--config', `${scratch.root}/${config}`],
    env: {...gitEnvironment, TMPDIR: `${scratch.root}/temp`},
  };
}

for (const as of testers) {
  for (const victims of [['ion'], ['launcher'], ['ion', 'launcher']] as const) {
    test(`debris: nothing is left when ${victims.join(' and ')} is killed (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git')) return;
      const {scratch, run, env} = inRepository(t, as);
      const child = startIon(scratch, [...run, script], {as, env});
      const ended = collect(child);
      await until('the command', () => existsSync(`${scratch.work}/written`));
      assert.deepEqual(
        [runFolders(scratch).length, temps(scratch).length],
        [1, 1],
        'there is something to leave',
      );
      const launcher = await until('the launcher', () => childrenOf(child.pid!)[0]?.pid);
      if (victims.length === 2) killTogether(child.pid!, launcher);
      else process.kill(victims[0] === 'ion' ? child.pid! : launcher, 'SIGKILL');
      await ended;
      assert.equal(git(scratch, as, ['status', '--porcelain']), '?? written\n');
      if (victims.length === 1) {
        await until('the end of the folders', () => temps(scratch).length + runFolders(scratch).length === 0);
        return;
      }
      // No process is left to clean up. A later run does it, for everything known to be ion's.
      for (const name of runFolders(scratch)) makeOld(`${scratch.home}/.ion/run/${name}`);
      const next = await runIon(scratch, [...run, 'true'], {as, env});
      assert.deepEqual([next.code, next.stderr], [0, '']);
      assert.deepEqual([runFolders(scratch), temps(scratch)], [[], []]);
    });
  }

  test(`debris: a folder that replaced a dead run's temp folder stays (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const {scratch, run, env} = inRepository(t, as);
    for (const put of [
      (place: string) => mkdirSync(place),
      (place: string) => symlinkSync(`${scratch.root}/theirs`, place),
    ]) {
      mkdirSync(`${scratch.root}/theirs`, {recursive: true});
      writeFileSync(`${scratch.root}/theirs/file`, '');
      rmSync(`${scratch.work}/written`, {force: true});
      const child = startIon(scratch, [...run, script], {as, env});
      const ended = collect(child);
      await until('the command', () => existsSync(`${scratch.work}/written`));
      const launcher = await until('the launcher', () => childrenOf(child.pid!)[0]?.pid);
      killTogether(child.pid!, launcher);
      await ended;
      const [name] = temps(scratch);
      const place = `${scratch.home}/.ion/tmp/${name}`;
      renameSync(place, `${place}-moved`);
      put(place);
      for (const folder of runFolders(scratch)) makeOld(`${scratch.home}/.ion/run/${folder}`);
      const next = await runIon(scratch, [...run, 'true'], {as, env});
      assert.deepEqual([next.code, next.stderr], [0, '']);
      assert.deepEqual(temps(scratch), [name, `${name}-moved`]);
      assert.ok(existsSync(`${scratch.root}/theirs/file`));
      chmodSync(`${place}-moved/d`, 0o700);
      for (const left of temps(scratch)) rmSync(`${scratch.home}/.ion/tmp/${left}`, {recursive: true});
    }
  });

  test(`debris: a temp folder that a killed run had not recorded yet is removed, if it is empty (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const {scratch, run, env} = inRepository(t, as);
    const [empty, used] = ['a'.repeat(32), 'b'.repeat(32)];
    const temp = (id: string): string => `${scratch.home}/.ion/tmp/ion-${id.slice(0, 10)}`;
    for (const id of [empty, used]) {
      mkdirSync(`${scratch.home}/.ion/run/${id}`, {recursive: true, mode: 0o700});
      mkdirSync(temp(id), {recursive: true});
    }
    chmodSync(`${scratch.home}/.ion/tmp`, 0o700);
    writeFileSync(`${temp(used)}/file`, '');
    giveTo(path.join(scratch.home, '.ion'), as);
    for (const id of [empty, used]) makeOld(`${scratch.home}/.ion/run/${id}`);
    const next = await runIon(scratch, [...run, 'true'], {as, env});
    assert.deepEqual([next.code, next.stderr], [0, '']);
    assert.deepEqual([runFolders(scratch), temps(scratch)], [[], [path.basename(temp(used))]]);
  });

  test(`debris: folders of live runs, and folders that are not ion's, stay (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    mkdirSync(`${scratch.home}/.ion/run/mine`, {recursive: true});
    mkdirSync(`${scratch.home}/.ion/run/${'a'.repeat(32)}`);
    writeFileSync(`${scratch.home}/.ion/run/${'a'.repeat(32)}/0`, 'of a run that was killed');
    giveTo(path.join(scratch.home, '.ion'), as);
    makeOld(`${scratch.home}/.ion/run/${'a'.repeat(32)}`);
    makeOld(`${scratch.home}/.ion/run/mine`);
    const options = {as, env: gitEnvironment};
    const living = startIon(
      scratch,
      ['run', 'touch up; read; git config user.name me; git config user.name'],
      options,
    );
    const ended = collect(living);
    await until('the command', () => existsSync(`${scratch.work}/up`));
    const own = runFolders(scratch).filter((name) => name !== 'mine');
    assert.equal(own.length, 1, 'the dead one is gone');
    makeOld(`${scratch.home}/.ion/run/${own[0]}`);
    const others = await Promise.all(
      Array.from({length: 10}, () => runIon(scratch, ['run', 'git config user.name'], options)),
    );
    for (const {stderr} of others) assert.equal(stderr, '');
    assert.deepEqual(runFolders(scratch).toSorted(), [...own, 'mine'].toSorted());
    living.stdin!.end('\n');
    assert.deepEqual(await ended, {code: 0, signal: null, stdout: 'me\n', stderr: ''});
    assert.deepEqual(runFolders(scratch), ['mine']);
  });
}

const makeOld = (folder: string): void => utimesSync(folder, 1e9, 1e9);
const runFolders = ({home}: Scratch): string[] => readdirSync(`${home}/.ion/run`);
const temps = ({home}: Scratch): string[] => readdirSync(`${home}/.ion/tmp`);
