import assert from 'node:assert/strict';
import {chownSync, constants, existsSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {mayAccess} from '../../src/system/may-access.ts';
import {ionElsewhere} from '../harness/elsewhere.ts';
import {plain, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files} from '../harness/scratch.ts';

function repositoryAt(folder: string): Files {
  const git = `${folder}.git`;
  return {[`${git}/objects/`]: '', [`${git}/refs/`]: '', [`${git}/HEAD`]: 'ref: refs/heads/main\n'};
}

/** A project's own config that loosens. The attack tries to make ion read this config as another layer. */
const loose =
  '[permissions]\nsandbox = false\n[[hooks]]\nevent = "Stop"\ncommand = "touch {work}/hook {root}/mark"\n';

/**
 * A variable that a project sets where the user's own recipe or script starts ion. `{hash}` is the hash of the project's
 * config.
 */
const attacks: readonly {
  name: string;
  variables: Readonly<Record<string, string>>;
  files?: Files;
  /** Also tried through npm, which takes a second to start. */
  npm?: true;
  /** Run as "ion hook Stop", to which ION_TRUST_PROJECT does not apply. */
  hook?: true;
  /** The run ends with exit code 125, because ion refuses the variable as a whole. */
  refused?: true;
}[] = [
  {
    name: 'HOME below the project',
    variables: {HOME: '{work}/home'},
    files: {'home/.ion/config.toml': loose},
    npm: true,
    refused: true,
  },
  {
    name: 'HOME = the project',
    variables: {HOME: '{work}'},
    files: {'.ion/config.toml': loose},
    refused: true,
  },
  {
    name: 'HOME through a symlink',
    variables: {HOME: '/proc/self/cwd/home'},
    files: {'home/.ion/config.toml': loose},
    refused: true,
  },
  {
    name: 'HOME in another repository',
    variables: {HOME: '{root}/clone'},
    files: {'/clone/.ion/config.toml': loose, ...repositoryAt('/clone/')},
  },
  {name: "TMPDIR = one of the user's folders", variables: {TMPDIR: '{away}'}, npm: true},
  {name: 'TMPDIR = the home folder', variables: {TMPDIR: '{root}'}},
  {
    name: 'ION_TRUST_PROJECT',
    variables: {ION_TRUST_PROJECT: '{hash}'},
    files: {'.ion/config.toml': loose},
    hook: true,
    npm: true,
  },
  {
    name: 'ION_CONFIG in the project',
    variables: {ION_CONFIG: '{work}/loose.toml'},
    files: {'loose.toml': loose},
    refused: true,
  },
  {
    name: 'ION_CONFIG in a temp folder',
    variables: {ION_CONFIG: '{root}/loose.toml'},
    files: {'/loose.toml': loose},
    refused: true,
  },
  {
    name: "ION_CONFIG in ion's own folder, which the user lists nowhere",
    variables: {ION_CONFIG: '{home}/.ion/ci.toml'},
    files: {'~/.ion/ci.toml': loose},
  },
  {name: 'ION_PROFILE', variables: {ION_PROFILE: 'ci'}, refused: true},
];

const command = 'touch {root}/mark {away}/mark {work}/done 2>/dev/null; true';

/** A folder of the user's that is not below a temp folder: scratch folders are below /var/tmp. */
function otherFolder(t: TestContext, {uid, gid}: Identity): string | undefined {
  const parent = ['/srv', process.env['HOME'] ?? ''].find((one) => mayAccess(one, constants.W_OK));
  if (parent === undefined) return undefined;
  const folder = mkdtempSync(path.join(parent, '.ion-test-'));
  t.after(() => rmSync(folder, {recursive: true}));
  if (process.getuid!() === 0) chownSync(folder, uid, gid);
  return folder;
}

for (const as of testers) {
  for (const {name, variables, files = {}, npm, hook, refused} of attacks) {
    for (const by of npm && as === plain ? (['make', 'npm'] as const) : (['make'] as const)) {
      test(`a project's ${by === 'make' ? 'Makefile' : 'npm script'} sets ${name}: nothing is written outside (${as.name})`, async (t) => {
        if (!requireProgram(t, by)) return;
        const scratch = makeScratch(t, as);
        const {root, home, work} = scratch;
        const away = otherFolder(t, as);
        if (away === undefined) return t.skip('no folder outside /tmp and /var/tmp can be made');
        const put = (text: string): string =>
          text
            .replaceAll('{root}', root)
            .replaceAll('{home}', home)
            .replaceAll('{work}', work)
            .replaceAll('{away}', away);
        const all: Files = {...repositoryAt(''), ...files};
        writeFiles(
          scratch,
          Object.fromEntries(Object.entries(all).map(([file, text]) => [file, put(text as string)])),
        );
        const ion = ionElsewhere(scratch, {machineConfig: `${root}/none.toml`, passwdHome: home});
        giveTo(root, as);
        let hash = '';
        if (hook) {
          const shown = await runProgram(scratch, [process.execPath, ion, 'trust'], {as});
          hash = /ION_TRUST_PROJECT=([\da-f]{64})/.exec(shown.stdout)![1]!;
        }
        const sets = Object.entries(variables).map(
          ([key, value]) => `${key}='${put(value).replace('{hash}', hash)}'`,
        );
        // The words of the user's own recipe; the variables come from the project.
        const words = hook ? ['hook', 'Stop'] : ['run', put(command)];
        const line = [...sets, process.execPath, ion, ...words.map((word) => `'${word}'`), '</dev/null'].join(
          ' ',
        );
        writeFiles(scratch, {
          Makefile: `all:\n\t@${line.replaceAll('$', '$$')}\n`,
          'package.json': JSON.stringify({name: 'x', version: '1.0.0', scripts: {all: line}}),
        });
        const argv = by === 'make' ? ['make', 'all'] : ['npm', 'run', '--silent', 'all'];
        const ended = await runProgram(scratch, argv, {as});
        assert.equal(existsSync(`${root}/mark`), false, ended.stderr);
        assert.equal(existsSync(`${away}/mark`), false, ended.stderr);
        assert.equal(existsSync(`${work}/hook`), false, ended.stderr);
        assert.equal(existsSync(`${work}/done`), !refused && !hook, ended.stderr);
      });
    }
  }
}

test('the shipped start file does not take such paths', () => assert.ok(!ionFile.includes('elsewhere')));
