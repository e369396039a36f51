/** An entry of denied_paths that names one place: a run does not make a file there. */
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {testers, spawnAs} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Python scripts that make `n`. */
const ways: Readonly<Record<string, string>> = {
  open: 'open(n, "w")',
  'open of another folder': 'os.open(n, os.O_CREAT | os.O_WRONLY, dir_fd=os.open(".", os.O_RDONLY))',
  mkdir: 'os.mkdir(n)',
  mkfifo: 'os.mkfifo(n)',
  mknod: 'os.mknod(n, 0o100644)',
  symlink: 'os.symlink("f", n)',
  link: 'os.link("f", n)',
  rename: 'os.rename("g", n)',
  'bind of a socket': 'socket.socket(socket.AF_UNIX).bind(n)',
  'open through a symlink': 'os.symlink(n, "l"), open("l", "w")',
  'a name with dots': 'open("./sub/../" + n, "w")',
};

/** Scripts that make `behind/inner` by replacing its folder by a link. */
const links: Readonly<Record<string, string>> = {
  symlink: 'os.symlink("b", "behind")',
  rename: 'os.symlink("b", "l"), os.rename("l", "behind")',
  link: 'os.symlink("b", "l"), os.link("l", "behind", follow_symlinks=False)',
};

/** The file that is moved together with its folder. */
const brought = 'os.rename("e", "d")';

const script = `import os, socket
n = "la" + "ter"
ways = {${Object.entries(ways)
  .map(([name, code]) => `${JSON.stringify(name)}: lambda: (${code})`)
  .join(', ')}}
os.mkdir("sub")
os.mkdir("e")
for name in "f", "g", "e/in" + "ner": open(name, "w").close()
for name, way in ways.items():
    try: way()
    except PermissionError: continue
    except OSError as error: print(name, error); continue
    print(name)
    os.rmdir(n) if os.path.isdir(n) and not os.path.islink(n) else os.unlink(n)
    if not os.path.exists("g"): open("g", "w").close()
try: ${brought}; print("with its folder")
except OSError: pass
os.mkdir("b")
open("b/in" + "ner", "w").close()
links = {${Object.entries(links)
  .map(([name, code]) => `${JSON.stringify(name)}: lambda: (${code})`)
  .join(', ')}}
for name, way in links.items():
    try: way(); print("behind a", name)
    except PermissionError: pass
    for made in "l", "behind":
        if os.path.islink(made): os.unlink(made)
`;
const all = [...Object.keys(ways), 'with its folder', ...Object.keys(links).map((name) => `behind a ${name}`)]
  .map((name) => `${name}\n`)
  .join('');

for (const as of testers)
  for (const report of ['denials', 'minimal'])
    for (const {name, deny} of [
      {name: 'namespaces', deny: []},
      {name: 'no namespaces', deny: noNamespaces},
    ])
      test(`denied_paths: no way makes a place that an entry names (${as.name}, ${report}, ${name})`, async (t) => {
        if (!requireProgram(t, 'python3', 'cc')) return;
        const files = {
          'ways.py': script,
          '~/.ion/config.toml': `[sandbox]\nreport = "${report}"\n[permissions]\ndenied_paths = ["~/work/later", "~/work/d/inner/**", "~/work/behind/inner"]\n`,
        };
        const [outside, inside] = [makeScratch(t, as, files), makeScratch(t, as, files)];
        const options = {cwd: outside.work, env: environmentOf(outside), ...spawnAs(as)};
        assert.equal(execFileSync('python3', ['ways.py'], {...options, encoding: 'utf8'}), all);
        const through = deny.length > 0 ? [compiled('deny-syscalls.c'), ...deny, '--'] : [];
        const {stdout, stderr} = await runIon(inside, ['run', 'python3 ways.py'], {as, through});
        assert.equal(stdout, '', stderr);
        assert.match(
          stderr,
          /could not change ".*\/later" \(.*: denied by denied_paths ".*\/later", 11 times\)/,
        );
      });

test('denied_paths: a name with a wildcard can be made, as packages contain such files', async (t) => {
  const as = testers.at(-1)!;
  const scratch = makeScratch(t, as, {
    '~/.ion/config.toml': '[permissions]\ndenied_paths = ["~/work/*.pem"]\n',
    make: 'echo x > a.pem && ! cat a.pem 2> errors',
  });
  const {code, stderr} = await runIon(scratch, ['run', 'bash make'], {as});
  assert.equal(code, 0, stderr);
});
