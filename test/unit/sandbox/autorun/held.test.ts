import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {putConfig, readConfig, withGitLock} from '../../../../src/sandbox/autorun/git-config/git-lock.ts';
import {prepareAutorun, removeShadows} from '../../../../src/sandbox/autorun/snapshot.ts';
import {openQuarantine} from '../../../../src/sandbox/autorun/quarantine.ts';

interface Place {
  readonly home: string;
  readonly work: string;
  readonly config: string;
  /** A folder with another user's files. One has the name of the config. */
  readonly victim: string;
}

function makePlace(t: TestContext): Place {
  const home = mkdtempSync(path.join(realpathSync(tmpdir()), 'ion-held-'));
  t.after(() => rmSync(home, {recursive: true}));
  const [work, victim] = [`${home}/work`, `${home}/victim`];
  for (const folder of [`${work}/.git`, victim]) mkdirSync(folder, {recursive: true});
  writeFileSync(`${work}/.git/config`, '[core]\n\tbare = false\n');
  writeFileSync(`${victim}/config`, '[secret]\n\tkey = 1\n');
  return {home, work, config: `${work}/.git/config`, victim};
}

/** Changes that a concurrent run makes to a repository that is new to it. */
const swaps: Readonly<Record<string, (place: Place) => void>> = {
  'the config': ({config, victim}) => {
    renameSync(config, `${config}.old`);
    symlinkSync(`${victim}/config`, config);
  },
  'the git folder': ({work, victim}) => {
    renameSync(`${work}/.git`, `${work}/.old`);
    symlinkSync(victim, `${work}/.git`);
  },
};

for (const [what, swap] of Object.entries(swaps)) {
  test(`a symlink in the place of ${what} while ion starts: ion copies nothing from its target`, (t) => {
    const place = makePlace(t);
    const {home, work} = place;
    const seen: string[] = [];
    try {
      const snapshot = prepareAutorun({
        gitFolders: [`${work}/.git`],
        writeRoots: [work],
        protectedFiles: {existing: [], absent: [], holders: []},
        unprotect: [],
        mounted: true,
        watched: true,
        home,
        runId: '0'.repeat(32),
        makeTemp: undefined,
        // Called between the look at the configs and the copies.
        folderCalls: {lockFolder: () => (swap(place), 3), removeFolder: () => true},
      });
      seen.push(...snapshot.shadows.map(({copy}) => readFileSync(copy, 'utf8')));
      seen.push(...[...snapshot.shadows, ...snapshot.configs].map(({before}) => before.toString()));
      removeShadows({...snapshot, folder: undefined});
    } catch (error) {
      seen.push(String(error));
    }
    assert.doesNotMatch(seen.join(), /secret/);
  });
}

test('a symlink in the place of the git folder: ion reads, writes and moves nothing at its target', (t) => {
  const place = makePlace(t);
  const {home, config, victim} = place;
  swaps['the git folder']!(place);
  const evil = Buffer.from('evil\n');
  assert.throws(() => readConfig(config));
  assert.throws(() => withGitLock(config, () => evil));
  assert.throws(() => putConfig(config, () => evil));
  assert.equal(openQuarantine(home, 'x').move(config), undefined);
  assert.equal(readFileSync(`${victim}/config`, 'utf8'), '[secret]\n\tkey = 1\n');
  assert.ok(!existsSync(`${victim}/config.lock`));
});
