import assert from 'node:assert/strict';
import {existsSync, readFileSync, readdirSync} from 'node:fs';
import {test} from 'node:test';
import {testCases} from '../harness/cases.ts';
import {testers} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {snapshot} from '../harness/snapshot.ts';

const commit = 'git -c user.name=a -c user.email=a@b commit -qm x';
const nothingOutside = ({home}: Scratch): void =>
  assert.deepEqual(
    readdirSync(home).filter((name) => name !== '.ion' && name !== '.ssh'),
    ['work'],
  );

/** The possible and the impossible actions of a command in a scratch repository. */
testCases('workspace', [
  {
    name: 'git init, add, commit, log',
    args: ['run', `git init -q . && echo hi > f && git add f && ${commit} && git log --format=%s`],
    stdout: 'x\n',
    after: ({work}) => assert.equal(readFileSync(`${work}/f`, 'utf8'), 'hi\n'),
  },
  {
    name: 'a write beside the workspace fails',
    args: ['run', 'echo x > ../outside'],
    code: 1,
    stderr: /Permission denied|Read-only file system/,
    after: nothingOutside,
  },
  {
    name: 'a secret in home cannot be read',
    files: {'~/.ssh/id_rsa': 'PRIVATE'},
    args: ['run', 'c=cat; $c "$(printf %s "$HOME")/.ssh/id_rsa"'],
    code: 1,
    stderr: /Permission denied/,
  },
  {
    name: 'a secret in home that is named is denied before anything runs',
    files: {'~/.ssh/id_rsa': 'PRIVATE'},
    args: ['run', 'touch ran; cat ~/.ssh/id_rsa'],
    code: 126,
    stderr: /^ion: denied: .*\.ssh/,
    after: ({work}) => assert.deepEqual(readdirSync(work), []),
  },
  {
    name: 'read mode runs git log',
    before: async (scratch, as) => {
      const made = await runIon(scratch, ['run', `git init -q . && touch f && git add f && ${commit}`], {as});
      assert.equal(made.code, 0, made.stderr);
    },
    args: ['run', '--read', 'git log --format=%s'],
    stdout: 'x\n',
  },
  {
    name: 'read mode refuses to write',
    args: ['run', '--read', 'touch x'],
    code: 126,
    stderr:
      'ion: denied: "touch x" in read mode: "touch" is not in the table of safe commands\nhelp: drop --read to run it in write mode\n',
    after: ({work}) => assert.deepEqual(readdirSync(work), []),
  },
  {
    name: 'a denied path of the defaults: no layer can remove it',
    files: {'~/.ssh/id': 'key'},
    args: ['run', 'cat ~/.ssh/id'],
    code: 126,
    stderr:
      'ion: denied: "~/.ssh/id" is in denied_paths "{home}/.ssh"\nhelp: denied_paths apply in every mode, and this entry is built in: only --no-sandbox opens it\n',
  },
  {
    name: 'a missing root: the message names the line that lists it',
    files: {'~/.ion/config.toml': '[sandbox]\nread_roots = [\n  "~/gone",\n]\n'},
    args: ['run', 'true'],
    code: 125,
    stderr:
      'ion: cannot grant "{home}/gone": open: No such file or directory\n --> ~/.ion/config.toml:3\nhelp: every root must exist and be reachable; see "ion config" for where it comes from\n',
  },
  {
    name: 'deny_commands names file and line',
    files: {'.ion/config.toml': '[permissions]\n\ndeny_commands = [\n  "doas *",\n  "sudo *",\n]\n'},
    args: ['run', 'sudo ls'],
    code: 126,
    stderr:
      'ion: denied: "sudo ls" matches deny_commands "sudo *"\n --> .ion/config.toml:5\nhelp: "ion check" with this command shows every rule that matched\n',
  },
  {
    name: '--no-sandbox writes outside',
    args: ['run', '--no-sandbox', 'echo x > ../outside'],
    stderr: 'ion: no sandbox: the command is not confined, and no path is checked\n',
    after: ({home}) => assert.equal(readFileSync(`${home}/outside`, 'utf8'), 'x\n'),
  },
  {
    name: '--no-sandbox keeps deny_commands',
    files: {'.ion/config.toml': '[permissions]\ndeny_commands = ["sudo *"]\n'},
    args: ['run', '--no-sandbox', 'sudo ls'],
    code: 126,
    stderr: /denied: "sudo ls" matches deny_commands "sudo \*"\n --> \.ion\/config\.toml:2/,
  },
  {
    name: 'an untrusted project cannot turn the sandbox off',
    files: {'.ion/config.toml': '[permissions]\nsandbox = false\n[sandbox]\nnetwork = "full"\n'},
    args: ['run', 'echo x > ../outside'],
    code: 1,
    stderr: /^ion: ignored: permissions\.sandbox = false[^]*Permission denied|Read-only file system/,
    after: nothingOutside,
  },
  {
    name: 'from a folder of the repository its git folder is writable',
    files: {'src/': ''},
    before: async (scratch, as) => {
      await runIon(scratch, ['run', 'git init -q .'], {as});
    },
    cwd: '{work}/src',
    args: ['run', `echo hi > f && git add f && ${commit} && git log --format=%s`],
    stdout: 'x\n',
  },
  {
    name: 'secrets are removed from the environment',
    env: {NPM_TOKEN: 'secret', GITHUB_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret', PLAIN: 'kept'},
    args: ['run', 'env | grep -c secret; echo "$PLAIN"'],
    stdout: '0\nkept\n',
  },
  {
    name: '/tmp is shared and writable',
    args: ['run', 'f=$(mktemp) && echo $f && rm $f'],
    stdout: /^\/tmp\/tmp\./,
  },
  {
    name: 'pipes, here-documents, arrays, functions: it is bash',
    args: ['run', 'f() { cat <<< "$1"; }; a=(x y); f "${a[1]}" | tr y z; echo ${BASH_VERSION:+bash}'],
    stdout: 'z\nbash\n',
  },
]);

for (const as of testers) {
  test(`a run leaves no trace in workspace and home (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'kept.txt': 'kept'});
    const before = snapshot(scratch.root, [`${scratch.home}/.ion`]);
    for (const args of [
      ['run', 'true'],
      ['run', '--read', 'ls'],
      ['run', 'exit 1'],
      ['check', 'ls'],
    ]) {
      await runIon(scratch, args, {as});
    }
    await runIon(scratch, ['run', '--timeout', '200ms', 'sleep 9'], {as});
    assert.deepEqual(snapshot(scratch.root, [`${scratch.home}/.ion`]), before);
    assert.ok(existsSync(`${scratch.home}/.ion/audit`));
  });
}
