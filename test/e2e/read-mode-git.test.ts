import assert from 'node:assert/strict';
import {appendFileSync, chmodSync, mkdirSync, utimesSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {identities, testers, type Identity} from '../harness/identity.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/** Programs that a repository's own config names, and a reading command that makes git run them. */
const attacks: readonly {readonly name: string; readonly config: string; readonly command: string}[] = [
  {name: 'textconv', config: '[diff "ev"]\n\ttextconv = ./ev.sh\n', command: 'git diff'},
  {name: 'textconv in a log', config: '[diff "ev"]\n\ttextconv = ./ev.sh\n', command: 'git log -p'},
  {
    name: 'textconv with a cache',
    config: '[diff "ev"]\n\ttextconv = ./ev.sh\n\tcacheTextConv\n',
    command: 'git log -p',
  },
  {name: 'textconv in show', config: '[diff "ev"]\n\ttextconv = ./ev.sh\n', command: 'git show'},
  {name: 'textconv in blame', config: '[diff "ev"]\n\ttextconv = ./ev.sh\n', command: 'git blame f.txt'},
  {name: 'an external diff', config: '[diff]\n\texternal = ./ev.sh\n', command: 'git diff'},
  {name: 'a driver with a command', config: '[diff "ev"]\n\tcommand = ./ev.sh\n', command: 'git diff'},
  {name: 'in upper case', config: '[DIFF "ev"]\n\tTextConv = ./ev.sh\n', command: 'git diff'},
  {name: 'a filter', config: '[filter "fl"]\n\tclean = ./ev.sh %f\n', command: 'git status --short'},
  {
    name: 'a filter that is required',
    config: '[filter "fl"]\n\tclean = ./ev.sh %f\n\trequired\n',
    command: 'git diff',
  },
  {name: 'an included config', config: '[include]\n\tpath = ../more\n', command: 'git diff'},
  {name: 'another folder', config: '[diff]\n\texternal = ./ev.sh\n', command: 'cd / && git -C {work} diff'},
  {
    name: 'a git folder given by an option',
    config: '[diff]\n\texternal = ./ev.sh\n',
    command: 'git --git-dir=.git diff',
  },
  {name: 'fsmonitor', config: '[core]\n\tfsmonitor = ./ev.sh\n', command: 'git status'},
];

function repository(scratch: Scratch, as: Identity, config: string): void {
  makeRepository(scratch, as);
  const {work} = scratch;
  writeFileSync(`${work}/f.txt`, 'a\n');
  writeFileSync(`${work}/.gitattributes`, '*.txt diff=ev filter=fl\n');
  git(scratch, as, ['add', '-A']);
  git(scratch, as, ['commit', '-q', '-m', 'second']);
  writeFileSync(`${work}/f.txt`, 'b\n');
  utimesSync(`${work}/f.txt`, 1, 1);
  writeFileSync(`${work}/ev.sh`, '#!/bin/sh\necho RAN >&2\ncat "$1" 2>/dev/null\nexit 0\n');
  chmodSync(`${work}/ev.sh`, 0o755);
  writeFileSync(`${work}/more`, '[diff "ev"]\n\ttextconv = ./ev.sh\n');
  appendFileSync(`${work}/.git/config`, config);
  giveTo(work, as);
}

for (const {name, config, command: template} of attacks) {
  for (const as of testers) {
    test(`read mode runs no program of the repository: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      repository(scratch, as, config);
      const command = template.replace('{work}', scratch.work);
      const outside = await runProgram(scratch, ['bash', '-c', command], {as, env: gitEnvironment});
      assert.match(outside.stderr, /RAN/, 'the attack works outside');
      const inside = await runIon(scratch, ['run', '--read', command], {as});
      assert.equal(inside.code, 0, inside.stderr);
      assert.doesNotMatch(inside.stderr, /RAN/);
      assert.match(inside.stdout, /f\.txt|[ab]/);
    });
  }
}

test('read mode shows changes although the repository has its own diff program', async (t) => {
  const [as] = identities;
  const scratch = makeScratch(t, as!);
  repository(scratch, as!, '[diff]\n\texternal = ./ev.sh\n');
  const {stdout} = await runIon(scratch, ['run', '--read', 'git diff'], {as: as!});
  assert.match(stdout, /^--- a\/f\.txt\n\+\+\+ b\/f\.txt\n@@ -1 \+1 @@\n-a\n\+b\n$/);
});

/** Programs of the workspace: `cat` and `diff`, where git would find them in the current folder or first on PATH. */
function plant(scratch: Scratch, as: Identity): void {
  mkdirSync(`${scratch.work}/bin`);
  for (const file of ['cat', 'diff', 'false', 'bin/cat', 'bin/diff', 'bin/false']) {
    writeFileSync(`${scratch.work}/${file}`, '#!/bin/sh\necho RAN >&2\n');
    chmodSync(`${scratch.work}/${file}`, 0o755);
  }
  giveTo(scratch.work, as);
}

const searchPaths: readonly {name: string; exclude: string; path: (work: string) => string | undefined}[] = [
  {name: 'a project excludes PATH', exclude: '["PATH"]', path: () => undefined},
  {
    name: 'a folder of the workspace is first on PATH',
    exclude: '[]',
    path: (work) => `${work}/bin:/usr/bin:/bin`,
  },
  {name: 'PATH is empty', exclude: '[]', path: () => ''},
];
for (const {name, exclude, path} of searchPaths) {
  for (const config of ['[diff "ev"]\n\ttextconv = ./ev.sh\n', '[diff]\n\texternal = ./ev.sh\n']) {
    test(`read mode's own programs are the system's: ${name}, ${JSON.stringify(config)}`, async (t) => {
      const [as] = identities;
      const scratch = makeScratch(t, as!);
      repository(scratch, as!, config);
      plant(scratch, as!);
      mkdirSync(`${scratch.work}/.ion`);
      writeFileSync(`${scratch.work}/.ion/config.toml`, `[environment]\nexclude = ${exclude}\n`);
      giveTo(scratch.work, as!);
      const PATH = path(scratch.work);
      const env = PATH === undefined ? {} : {PATH};
      const {code, stdout, stderr} = await runIon(scratch, ['run', '--read', '/usr/bin/git diff f.txt'], {
        as: as!,
        env,
      });
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /RAN/);
      assert.match(stdout, /^-a\n\+b$/m);
      if (PATH === undefined)
        assert.match(
          stderr,
          /^ion: ignored: environment\.exclude\[0\] = "PATH" \(this workspace is not trusted\)$/m,
        );
    });
  }
}

test('a filter of the user keeps working', async (t) => {
  const [as] = identities;
  const scratch = makeScratch(t, as!);
  repository(scratch, as!, '');
  mkdirSync(scratch.home, {recursive: true});
  writeFileSync(`${scratch.home}/.gitconfig`, '[filter "fl"]\n\tclean = tr b a\n');
  giveTo(scratch.home, as!);
  const {stdout} = await runIon(scratch, ['run', '--read', 'git diff'], {as: as!});
  assert.equal(stdout, '');
});

/** Commands that a trusted workspace allows without a question because they only read. They must only read. */
for (const {name, config, command} of attacks.filter((attack) => !/[&{]|--git-dir/.test(attack.command))) {
  for (const as of testers) {
    test(`without a question git runs no program of the repository: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      repository(scratch, as, config);
      mkdirSync(`${scratch.home}/.ion`);
      writeFileSync(
        `${scratch.home}/.ion/config.toml`,
        `[permissions]\napproval = "ask"\ntrusted_paths = ["${scratch.work}"]\n`,
      );
      giveTo(`${scratch.home}/.ion`, as);
      const {code, stdout, stderr} = await runIon(scratch, ['run', command], {as});
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /RAN/);
      assert.match(stdout, /f\.txt|[ab]/);
      assert.equal(git(scratch, as, ['for-each-ref', 'refs/notes']), '', 'nothing is kept');
      const touched = await runIon(scratch, ['run', 'touch x'], {as});
      assert.equal(touched.code, 126, 'what does not only read asks');
    });
  }
}
