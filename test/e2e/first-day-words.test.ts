import assert from 'node:assert/strict';
import {test} from 'node:test';
import {spawnSync} from 'node:child_process';
import {testCases} from '../harness/cases.ts';
import {makeRepository} from '../harness/git.ts';
import {spawnAs, testers} from '../harness/identity.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** What ion says about a refusal is true, and leads somewhere. */

testCases('first day: words', [
  {
    name: 'a program that fails at the folder of settings in home hears of it',
    args: ['run', 'mkdir -p ~/.config/tool 2> errors'],
    code: 1,
    stderr:
      /^ion: blocked: mkdir \(pid \d+\) could not change "\S+\/home\/\.config" \([^\n]*\nhelp: write below the workspace or the temp folder instead\n$/,
  },
  {
    name: 'top goes on without its settings, so nothing is said',
    args: ['run', 'top -bn1 > list; false'],
    code: 1,
    needs: ['top'],
  },
  {
    name: 'a home as a whole: no setting that would not work when it is pasted',
    args: ['run', 'ls ~ 2> errors'],
    code: 2,
    stderr:
      /^ion: "~" is outside the read roots\nhelp: ion opens no home as a whole: name what you need in it, such as ~\/FOLDER, and ion names its setting; --explain [^\n]*\n$/,
  },
  {
    name: 'a remote that is a folder, below the top of the repository',
    files: {'lib/': '', '/remote/x': ''},
    before: (scratch, as) => {
      makeRepository(scratch, as);
      const add = ['remote', 'add', 'origin', '../../remote'];
      spawnSync('git', add, {cwd: scratch.work, env: environmentOf(scratch), ...spawnAs(as)});
    },
    args: ['run', '-C', 'lib', 'git fetch 2> errors'],
    code: 128,
    stderr:
      /^ion: "\.\.\/\.\.\/remote" is outside the read roots\nhelp: for this run: --set sandbox\.read_roots\+=\S+\/remote; /,
    needs: ['git'],
  },
  {
    name: 'and what is named in it has its setting',
    files: {'~/data/f': 'x'},
    args: ['run', 'ls ~/data 2> errors'],
    code: 2,
    stderr:
      /^ion: "~\/data" is outside the read roots\nhelp: for this run: --set sandbox\.read_roots\+=\S+\/home\/data; /,
  },
]);

for (const as of testers) {
  test(`first day: words: ion allow after a denial says that no grant overrides it (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    assert.equal((await runIon(scratch, ['run', 'cat ~/.ssh/id_rsa'], {as})).code, 126);
    const {code, stdout, stderr} = await runIon(scratch, ['allow'], {as});
    assert.equal(code, 125);
    const denied =
      /^run .*\n[\da-f]{32}-1\nion: denied: "~\/\.ssh\/id_rsa" is in denied_paths [^\n]*\nhelp: [^\n]*\n$/;
    assert.match(stdout, denied);
    assert.equal(stderr, 'ion: there is nothing to allow: no grant overrides what denied the command\n');
    assert.match((await runIon(scratch, ['why'], {as})).stdout, denied);
  });
}
