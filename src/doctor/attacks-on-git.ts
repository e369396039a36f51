import {existsSync, lstatSync, readFileSync} from 'node:fs';
import path from 'node:path';
import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {attempt} from '../system/attempt.ts';
import {python, waits, type After, type Attack} from './attack.ts';
import {fromRemoved, turnTo} from './current-folders.ts';
import {replaceFile} from './meanwhile.ts';

/** A setting that makes git run a program. */
const evil = 'printf "[core]\\n\\tfsmonitor = evil\\n"';
const makeEvil = (folder: string): string =>
  `mkdir -p ${folder}/objects ${folder}/refs && echo "ref: refs/heads/main" > ${folder}/HEAD && ${evil} > ${folder}/config`;

const textOf = (file: string): string => attempt(() => readFileSync(file, 'utf8')) ?? '';

/** After the run git would obey it. */
const isEvil =
  (config: string): After =>
  ({workspace}) =>
    textOf(path.join(workspace, config)).includes('evil');
const staysEvil = isEvil('.git/config');

/** Git would obey it from now on, and ion has not reported it. */
const unreported =
  (file: string, isThere: (workspace: string) => boolean): After =>
  ({workspace, events}) =>
    isThere(workspace) &&
    !events.some((event) => event.kind === 'autorun' && event.path === path.join(workspace, file));

const leadsTo =
  (file: string, target: string) =>
  (workspace: string): boolean =>
    textOf(path.join(workspace, file)).trim() === `gitdir: ${target}`;

/**
 * Renames a folder to a harmless name that a second thread exchanges for `name`, until one rename slips through between the
 * supervisor's check and the kernel. Both names have eight bytes with their NUL. The first attempt is refused: it shows ion that
 * the run tried to write the file.
 */
const race = (name: string): string =>
  python(`import ctypes, threading, time
libc, shared = ctypes.CDLL(None), ctypes.create_string_buffer(8)
try: os.mkdir("${name}")
except OSError: pass
if not os.path.isdir("src"): os.mkdir("src")
over = False
def exchange():
    one, other = b"another\\0", b"${name}\\0"
    while not over: shared.raw = one; shared.raw = other
thread = threading.Thread(target=exchange); thread.start()
end = time.time() + 3
while not os.path.isdir("${name}") and time.time() < end:
    if libc.rename(b"src", shared) == 0 and not os.path.isdir("${name}"): os.rename("another", "src")
over = True
thread.join()
sys.exit(77)`);

const planted =
  (name: string): After =>
  ({workspace}) =>
    existsSync(path.join(workspace, name));

/** Attacks on what git outside obeys, and on what ion does about it after a run. */
export const onGit = {
  'git-config': [
    {
      name: 'set an alias in .git/config',
      doctor: true,
      script: 'printf "[alias]\\n\\tst = !evil\\n" >> .git/config',
      after: staysEvil,
    },
    {
      name: 'name a hooks folder in it',
      doctor: true,
      script: 'printf "[core]\\n\\thooksPath = evil\\n" >> .git/config',
      after: staysEvil,
    },
    {name: 'name a monitor in it', doctor: true, script: `${evil} >> .git/config`, after: staysEvil},
    {
      name: 'replace it by a rename',
      doctor: true,
      script: `${evil} > c; mv -f c .git/config`,
      after: staysEvil,
    },
    {
      name: 'replace it by an exchange',
      doctor: true,
      script: `${evil} > c\n${python('import ctypes\nsys.exit(ctypes.CDLL(None).renameat2(-100, b"c", -100, b".git/config", 2) != 0)')}`,
      after: staysEvil,
    },
    {
      name: 'write it after another process replaced it',
      doctor: true,
      meanwhile: (workspace) => {
        const config = path.join(workspace, '.git/config');
        replaceFile(config, textOf(config));
      },
      script: `${waits}${evil} >> .git/config`,
      after: staysEvil,
    },
    {
      name: 'name a monitor in the config of a submodule',
      doctor: true,
      from: 'outer',
      script: `${evil} >> .git/modules/lib/config`,
      after: isEvil('.git/modules/lib/config'),
    },
  ],
  autorun: [
    {
      name: 'replace the .git file of a worktree',
      doctor: true,
      from: 'outer/own',
      script: 'rm -f .git; echo "gitdir: evil" > .git',
    },
    {
      name: 'write a hook behind a .git that is a link',
      doctor: true,
      from: 'linked',
      script: 'echo x >> .git/hooks/pre-commit',
    },
  ],
  'autorun-new': [
    {
      name: 'replace a .git that is a link',
      doctor: true,
      from: 'linked',
      script: 'rm -f .git; mkdir .git',
      after: ({workspace}) => attempt(() => lstatSync(path.join(workspace, '.git')))?.isDirectory() ?? false,
    },
    {
      name: 'plant a hook of the repository to which a worktree belongs',
      doctor: true,
      from: 'outer/own',
      script: 'echo x > ../.git/hooks/post-commit',
    },
    {
      name: 'win a race for agent settings, and leave them behind',
      doctor: true,
      script: race('.claude'),
      after: planted('.claude'),
    },
    {
      name: 'win a race for the last of 300 files, and leave it behind',
      doctor: true,
      config: 'many.toml',
      script: race('many299'),
      after: planted('many299'),
    },
  ],
  'autorun-nested': [
    {
      name: 'replace, exchange or link the config of a nested repository',
      doctor: true,
      script: `${evil} > c; cp c d; mv -f c below/.git/config; ${evil} > e; ln below/.git/config l && cat e >> l
${python('import ctypes\nctypes.CDLL(None).renameat2(-100, b"d", -100, b"below/.git/config", 2)')}`,
      after: isEvil('below/.git/config'),
    },
    {
      name: 'link or move a hook or attributes into a nested repository',
      doctor: true,
      script: `echo x > f; mkdir -p i; echo x > i/attributes
ln f below/.git/hooks/post-merge || mv f below/.git/hooks/post-merge || ln -s f below/.git/hooks/post-merge || mv -T i below/.git/info`,
    },
    {
      name: 'move, exchange or take apart the git folder of a nested repository, or exchange or link its hook',
      doctor: true,
      script: `mv below/.git b && exit; mv below/.git/HEAD h && exit\n${python(`import ctypes
os.mkdir("new"); open("x", "w").close()
libc, hook = ctypes.CDLL(None), b"below/.git/hooks/pre-commit"
f = os.open(hook, os.O_RDONLY)
ways = libc.renameat2(-100, b"new", -100, b"below/.git", 2), libc.renameat2(-100, hook, -100, b"x", 2), libc.linkat(f, b"", -100, b"y", 0x1000)
sys.exit(0 not in ways)`)}`,
    },
    {
      name: 'write a hook right after a change of the current folder',
      doctor: true,
      script: `(${python(turnTo('below/.git'))}\n) && exit\n${python(fromRemoved('below/.git'))}`,
    },
    {
      name: 'write a hook by names of the own process, or from a folder that was removed',
      doctor: true,
      script: `echo x > /proc/self/cwd/below/.git/hooks/own && exit; exec 5< below/.git; echo x > /dev/fd/5/hooks/own && exit
mkdir -p gone/x; cd gone/x; rmdir ../x; echo x > ../../below/.git/hooks/own`,
    },
    {
      name: 'write the .git file of a nested worktree',
      doctor: true,
      from: 'outer',
      script: 'echo "gitdir: evil" > own/.git',
    },
    {
      name: 'write a hook of a submodule',
      doctor: true,
      from: 'outer',
      script: 'mkdir -p .git/modules/lib/hooks; echo x > .git/modules/lib/hooks/post-merge',
    },
    {
      name: 'complete a git folder whose files were there, unreported',
      doctor: true,
      from: 'outer',
      script: 'echo "ref: refs/heads/main" > half/HEAD',
      after: unreported('half/config', (workspace) => existsSync(path.join(workspace, 'half/HEAD'))),
    },
    {
      name: 'move a git folder that the run made, unreported',
      doctor: true,
      from: 'outer',
      script: `mkdir e4; ${makeEvil('e4/.git')}; mv e4 e5`,
      after: unreported('e5/.git/config', (workspace) => existsSync(path.join(workspace, 'e5/.git/config'))),
    },
    {
      name: 'lead a worktree to another repository, by its commondir',
      doctor: true,
      from: 'outer',
      script: 'echo ../../../evil > .git/worktrees/own/commondir',
    },
    {
      name: 'lead a worktree to another repository, by its .git file, unreported',
      doctor: true,
      from: 'outer',
      script: `${makeEvil('e1')}; rm -f own/.git; echo "gitdir: ../e1" > own/.git`,
      after: unreported('e1/config', leadsTo('own/.git', '../e1')),
    },
    {
      name: 'lead a submodule to another repository, by a link, unreported',
      doctor: true,
      from: 'outer',
      script: `${makeEvil('e2')}; mv lib/.git old-file; ln -s ../e2 lib/.git`,
      after: unreported('e2/config', (workspace) =>
        textOf(path.join(workspace, 'lib/.git/config')).includes('evil'),
      ),
    },
    {
      name: 'put another repository in the place of a submodule, unreported',
      doctor: true,
      from: 'outer',
      script: `mkdir e3; ${makeEvil('e3/.git')}; mv lib old-lib; mv e3 lib`,
      after: unreported('lib/.git/config', (workspace) =>
        textOf(path.join(workspace, 'lib/.git/config')).includes('evil'),
      ),
    },
    {
      // The run made none of its files: only the index shows that git obeys it there.
      name: 'move a repository that existed to the place of a submodule, unreported',
      doctor: true,
      from: 'outer',
      script: 'mv lib older-lib; mv other lib',
      after: unreported('lib/.git/config', (workspace) =>
        textOf(path.join(workspace, 'lib/.git/config')).includes('evil'),
      ),
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
