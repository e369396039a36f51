import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import {mkdirSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {handed, waits, type Given} from '../../src/doctor/attack.ts';
import {fromRemoved, turnTo} from '../../src/doctor/current-folders.ts';
import {attacks} from '../../src/doctor/self-test.ts';
import type {Files} from '../harness/scratch.ts';
import type {Meanwhile} from '../../src/doctor/meanwhile.ts';
import {nameRows} from './name-rows.ts';
import {streamRows} from './stream-rows.ts';

/**
 * One attack on one promise. The script is bash in `home/work`. Exit 0: the attack succeeded; 77: there is nothing to
 * attack. `$OUTSIDE` is an executable file beside the workspace; victim.py sets `$VICTIM`, `$TCP`, `$UDP`, `$SOCK`,
 * `$TMPSOCK`, `$TMPDGRAM`, `$ABSTRACT`, `$SHM`. A change outside the workspace counts as success too, whatever the exit
 * code.
 */
export interface Row {
  readonly protection: ProtectionId;
  readonly name: string;
  readonly script: string;
  /** The text of the command is not checked, so only the sandbox protects. */
  readonly undecided?: true;
  /** A config file for the run. `{work}` and `{home}` stand for the folders. */
  readonly config?: string;
  readonly files?: Files;
  /** Standard input is this file, opened for reading: `$OUTSIDE`, or a file of the workspace. */
  readonly stdin?: 'outside' | '.git/hooks/pre-commit';
  /** Standard input is `$OUTSIDE`, opened for writing. */
  readonly handed?: true;
  /** The standard stream that the run gets (given.py). */
  readonly given?: Given | 'unconnected';
  /** The action of another process when the script asks for it (`waits`). */
  readonly meanwhile?: Meanwhile;
  /** In network namespaces with named servers (test/harness/network-world.py). */
  readonly servers?: true;
  /** Many machines lack the target, so the attack need not succeed anywhere. */
  readonly rare?: true;
  /** Only root can do this. */
  readonly only?: 'root';
  /** Best effort documents that it succeeds. */
  readonly enforcedOnly?: true;
  /**
   * The attack succeeds although the promise is enforced, or kept by best effort: why, and on which kernels. Each is one of the
   * known limits in the documents.
   */
  readonly gap?: {readonly why: string; readonly on?: readonly string[]};
}

type Attack = Omit<Row, 'protection'>;

// Makes all numbers long. Of an int, the upper half is arbitrary where a variadic function reads it from the stack (from
// the seventh word on).
const python = (code: string): string =>
  `python3 - <<'END'\nimport ctypes, fcntl, os, signal, socket, struct, sys\ne = os.environ\nOUTSIDE, VICTIM = e['OUTSIDE'], int(e['VICTIM'])\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n    r = libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])\n    if r < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n    return r\n${code}\nEND`;

const reaches = (family: string, address: string, kind = 'STREAM'): string =>
  python(
    `s = socket.socket(socket.AF_${family}, socket.SOCK_${kind})\ns.settimeout(2)\ns.connect(${address})\n${kind === 'DGRAM' ? 's.send(b"x")\n' : ''}assert s.recv(100) == b'reached'`,
  );

const mptcp = python(
  "s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)\ns.settimeout(2)\ns.connect(('127.0.0.1', int(e['TCP'])))\nassert s.recv(100) == b'reached'",
);
const fastOpen = python(
  "s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)\ns.sendto(b'x', 0x20000000, ('127.0.0.1', int(e['TCP'])))\nassert s.recv(100) == b'reached'",
);

/** The attack succeeds only in the network namespace that has the machine's addresses, not in one with only a loopback. */
const listens = (code: string): string =>
  python(
    `s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)\n${code}\nns = os.readlink('/proc/self/ns/net')\nsys.exit(0 if ns == e['NETNS'] and s.getsockname()[0] == '0.0.0.0' else 1)`,
  );
const loopback = '[sandbox]\nnetwork = "loopback"\n';

const repository: Files = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\trepositoryformatversion = 0\n',
  '.git/objects/': '',
  '.git/refs/heads/': '',
  '.git/hooks/pre-commit': {text: '#!/bin/sh\n', mode: 0o755},
  '.vscode/tasks.json': '{}\n',
  '.ion/config.toml': '',
  '.envrc': '\n',
  '.mcp.json': '{}\n',
  'tools/task': '\n',
  '.vscode/linked': {link: '../tools/task'},
};
/** Replacing a file or folder removes the mount on it. Without a supervisor nothing else protects it. */
const replaced = {
  why: 'what another process puts in the place of a file is not under its mount',
  on: ['no listener', 'no killable wait', 'no ptrace', 'before 5.12'],
};
const replacedHooks = (workspace: string): void => {
  renameSync(`${workspace}/.git/hooks`, `${workspace}/.git/gone`);
  mkdirSync(`${workspace}/.git/hooks`);
  writeFileSync(`${workspace}/.git/hooks/pre-commit`, '');
  writeFileSync(`${workspace}/envrc`, '');
  renameSync(`${workspace}/envrc`, `${workspace}/.envrc`);
};
const autorun = (name: string, script: string): Attack => ({name, script, files: repository});

/** Repositories below the workspace. */
const below: Files = Object.fromEntries([
  ...Object.entries(repository)
    .filter(([name]) => name.startsWith('.git/'))
    .flatMap(([name, file]) => [
      [`below/${name}`, file],
      [name.replace('.git/', 'bare.git/'), file],
    ]),
  ['below/.git/worktrees/tree/HEAD', 'ref: refs/heads/tree\n'],
  ['below/.git/worktrees/tree/commondir', '../..\n'],
  ['tree/.git', 'gitdir: ../below/.git/worktrees/tree\n'],
]) as Files;
const nested = (name: string, script: string): Attack => ({name, script, files: below});
const makeLater: Meanwhile = (workspace) => {
  mkdirSync(`${workspace}/later/.git/hooks`, {recursive: true});
  writeFileSync(`${workspace}/later/.git/HEAD`, 'ref: refs/heads/main\n');
};

/** In read mode, with commands that the table of safe commands would refuse. */
const reading = (name: string, script: string): Attack => ({
  name,
  script,
  undecided: true,
  config: '[permissions]\nmode = "read"\n',
  files: {program: {text: '#!/bin/sh\nexit 0\n', mode: 0o755}},
});
const systemPython = (code: string): string => `/usr/bin/python3 -c 'import ctypes, mmap, os\n${code}'`;

/**
 * Ways in which a command that seemed to read ran a program of the workspace. The program creates a mark in a place that it may
 * write in read mode too.
 */
const marks = {text: '#!/bin/sh\n[ -n "$MARK" ] && : > "$MARK"\n', mode: 0o755};
const bypass = (name: string, script: string, files: Files = {}): Attack => ({
  ...reading(name, `export MARK="\${TMPDIR:-/tmp}/ion-mark-$$"\n(${script}\n)\n/bin/rm "$MARK"`),
  files: {'in.txt': 'a\nb\n', program: marks, ...files},
});
const gitConfig = (folder: string, text: string): Files => ({
  [`${folder}.git/HEAD`]: 'ref: refs/heads/main\n',
  [`${folder}.git/objects/`]: '',
  [`${folder}.git/refs/heads/`]: '',
  [`${folder}.git/config`]: `[core]\n\trepositoryformatversion = 0\n${text}`,
  [`${folder}f.txt`]: 'one\n',
});
const gitVariables =
  'unset GIT_CONFIG_COUNT GIT_PAGER; export GIT_CONFIG_COUNT=0 GIT_EXTERNAL_DIFF=./program';
const writingOption = {
  ...reading(
    'an option that takes a file to write',
    'sort -o out in.txt; find . -fprint out; sed -n "w out" in.txt; uniq in.txt out; git diff --no-index --output=out in.txt program; cp in.txt out; touch in.txt; chmod 600 in.txt; mkdir out; tee out < in.txt; rm -f in.txt; exit 1',
  ),
  files: {'in.txt': 'a\nb\n'},
};
const bypasses: readonly Attack[] = [
  bypass(
    'an option that takes a program',
    `seq 300 | sort -S 1k --compress-program=./program > /dev/null
sed '1e ./program' in.txt
awk 'BEGIN { system("./program") }'
find . -name in.txt -exec ./program {} ';'
xargs ./program < in.txt
tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=./program in.txt
git -c alias.x='!./program' x
git -c diff.external=./program diff --no-index in.txt program
git grep --no-index -O./program a in.txt`,
  ),
  bypass('an assignment by printf %n', "printf 'a%n' PATH; ls", {'1/ls': marks}),
  bypass('an assignment of a descriptor', 'exec {PATH}< in.txt; ls', {'10/ls': marks}),
  bypass('quotes in quotes', 'echo "${x:-"$(./program)"}"; echo "${x:="`./program`"}"'),
  bypass('a line that is continued', 'echo $\\\n(./program)\necho "$\\\n(./program)"\nl\\\ns; ./pro\\\ngram'),
  bypass(
    'the words after --help',
    'git --help log; git log --help; git help -m log',
    gitConfig('', '[man]\n\tviewer = x\n[man "x"]\n\tcmd = ./program\n'),
  ),
  bypass(
    'drivers of other repositories',
    `git add -N f.txt 2>&1; g=git; ${gitVariables}; for d in . ~+/oth*; do (cd "$d" && $g diff; $g --no-pager status; $g diff --no-index f.txt /dev/null); done; GIT_DIR=other/.git git diff --no-index in.txt program; other/run`,
    {
      ...gitConfig(
        'other/',
        '[diff]\n\texternal = ../program\n[core]\n\tfsmonitor = ../program\n\tpager = ../program\n',
      ),
      'other/run': {text: '#!/bin/sh\ncd "$(dirname "$0")" && ../program\n', mode: 0o755},
    },
  ),
];

/**
 * Variables of pagers, editors, helpers of git and loaders. The programs they name would run, and settings in the folders
 * they name would apply.
 */
const heldNames =
  'PAGER MANPAGER GIT_PAGER GIT_EDITOR EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSSECURE GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_SEQUENCE_EDITOR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS GIT_ALLOW_PROTOCOL GIT_ATTR_SOURCE HOME XDG_CONFIG_HOME BASH_ENV ENV LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH NODE_OPTIONS PYTHONPATH PERL5OPT RUBYOPT';

const own: Partial<Record<ProtectionId, readonly Attack[]>> = {
  'read-exec': [
    ...bypasses,
    reading('execute a file of the workspace', './program'),
    reading('execute it by a variable', 'x=./program; "$x"'),
    reading('execute a copy in the temp folder', 't=$(mktemp) && cp /bin/true "$t" && chmod +x "$t" && "$t"'),
    reading(
      'execute a hard link in the temp folder',
      'ln program "${TMPDIR:-/tmp}/l" && "${TMPDIR:-/tmp}/l"; r=$?; rm -f "${TMPDIR:-/tmp}/l"; exit $r',
    ),
    reading('execute it by a descriptor', 'exec 7<program; /proc/self/fd/7'),
    reading('have find execute it', 'find . -name program -exec {} +'),
    reading('have env execute it', 'env -S ./program'),
    reading(
      'execute a copy without a name',
      systemPython(
        'f = os.memfd_create("x"); os.write(f, open("/bin/true", "rb").read()); os.execve(f, ["x"], {})',
      ),
    ),
    reading(
      'execute an unnamed file of the temp folder',
      systemPython(
        'f = os.open(os.environ.get("TMPDIR", "/tmp"), os.O_TMPFILE | os.O_RDWR, 0o700); os.write(f, open("/bin/true", "rb").read()); r = os.open(f"/proc/self/fd/{f}", 0); os.close(f); os.execve(r, ["x"], {})',
      ),
    ),
    reading(
      'execute shared memory',
      systemPython(
        'n = "/dev/shm/ion-conformance-" + str(os.getpid()); f = os.open(n, os.O_CREAT | os.O_RDWR, 0o700); os.write(f, open("/bin/true", "rb").read()); os.close(f)\nif os.fork() == 0: os.execv(n, ["x"])\nr = os.waitstatus_to_exitcode(os.wait()[1]); os.unlink(n); os._exit(r)',
      ),
    ),
  ],
  'read-mapped': [
    reading(
      'map a file of the workspace as code',
      systemPython('mmap.mmap(os.open("program", 0), 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)'),
    ),
    reading(
      'make what is mapped executable',
      systemPython(
        'l = ctypes.CDLL(None); l.mmap.restype = ctypes.c_void_p; a = l.mmap(None, 4096, 1, 2, os.open("program", 0), 0); os._exit(1 if l.mprotect(ctypes.c_void_p(a), 4096, 5) else 0)',
      ),
    ),
    reading(
      'execute a copy by the dynamic loader',
      'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; cp /bin/true "${TMPDIR:-/tmp}/c$$" && "$1" "${TMPDIR:-/tmp}/c$$"; r=$?; rm -f "${TMPDIR:-/tmp}/c$$"; exit $r',
    ),
  ],
  'read-programs': [
    reading('execute a program that the command does not name', '"${BASH%/*}/env" > /dev/null'),
    reading('execute one by a word that is read', 'read -r x <<< env; $x > /dev/null'),
    reading(
      'execute an unnamed program by a named one',
      systemPython('os.execv("/usr/bin/env", ["env"])') + ' > /dev/null',
    ),
    reading('take a variable of git away', 'env -u GIT_PAGER -u PATH /usr/bin/env > /dev/null'),
    reading('have the loader load a library', 'env LD_PRELOAD=./program cat program > /dev/null'),
    reading(
      'set or unset a variable that read mode holds',
      `for v in ${heldNames}; do env "$v=./program" cat program > /dev/null 2>&1 && exit 0; done
for v in PAGER MANPAGER GIT_PAGER GIT_EDITOR GIT_CONFIG_COUNT GIT_OPTIONAL_LOCKS LESSSECURE; do env -u "$v" cat program > /dev/null 2>&1 && exit 0; done
(PAGER=./program; GIT_PAGER=./program; cat program > /dev/null 2>&1) && exit 0
exit 1`,
    ),
    reading('give git a setting by a variable', 'env GIT_CONFIG_COUNT=0 git --version > /dev/null'),
  ],
  writes: [
    writingOption,
    reading('write the workspace in read mode', 'echo x > new'),
    reading(
      'write the shared temp folder in read mode',
      'f=/tmp/ion-conformance-$$; echo x > "$f" && rm "$f"',
    ),
    {name: 'append through the root of a process outside', script: 'echo x >> "/proc/$VICTIM/root$OUTSIDE"'},
    {name: "append through the launcher's root", script: 'echo x >> "/proc/$PPID/root$OUTSIDE"'},
    {name: 'append through /proc/self/root', script: 'echo x >> "/proc/self/root$OUTSIDE"'},
    {
      name: 'reopen standard input for writing',
      script: 'echo x >> /proc/self/fd/0',
      stdin: 'outside',
    },
    {
      name: 'reopen standard input for writing by /dev/stdin',
      script: 'echo x >> /dev/stdin',
      stdin: 'outside',
    },
    {name: 'rename over a file outside', script: 'echo x > f; mv -f f "$OUTSIDE"'},
    {
      name: 'swap two files by renameat2',
      script: python('open("f", "w").write("x")\ncall(316, -100, b"f", -100, OUTSIDE.encode(), 2)'),
    },
    {name: 'rename the workspace itself', script: 'mv ../work ../gone'},
    {
      name: 'link an unnamed file outside',
      script: python(
        'f = os.open(".", os.O_TMPFILE | os.O_WRONLY)\ncall(265, -100, f"/proc/self/fd/{f}".encode(), -100, b"../linked", 0x400)',
      ),
    },
    {
      name: 'a folder swapped for a symlink',
      script: 'mkdir d; (cd d; mkdir ../real; mv ../d ../e; ln -s .. ../d; echo x > ../d/../created)',
    },
    {name: 'remove an empty folder outside', script: 'rmdir ../empty', files: {'~/empty/': ''}},
    {name: 'a FIFO and a socket outside', script: 'mkfifo ../fifo'},
    {name: 'a shell start-up file', script: 'echo true >> ~/.bashrc'},
    {name: 'below /usr', script: 'touch /usr/ion-conformance && rm /usr/ion-conformance', only: 'root'},
    {name: 'below /etc', script: 'touch /etc/ion-conformance && rm /etc/ion-conformance', only: 'root'},
    {
      name: 'a kernel setting',
      script: 'v=$(cat /proc/sys/kernel/core_pattern) && printf %s "$v" > /proc/sys/kernel/core_pattern',
      only: 'root',
    },
    {
      name: 'the oom score of a process outside',
      script: 'echo 1 > /proc/$VICTIM/oom_score_adj',
      only: 'root',
    },
  ],
  truncate: [
    {name: 'open with O_TRUNC', script: ': > "$OUTSIDE"'},
    {name: 'truncate(2)', script: python('os.truncate(OUTSIDE, 1)')},
  ],
  metadata: [
    {name: 'chmod a file outside', script: 'chmod 600 "$OUTSIDE"'},
    {name: 'chmod the parent folder', script: 'chmod 700 ..'},
    {name: 'fchmodat2 through a symlink', script: 'ln -s "$OUTSIDE" l; chmod 600 l'},
    {
      name: 'chmod by /proc/self/fd',
      script: python('f = os.open(OUTSIDE, os.O_PATH)\nos.chmod(f"/proc/self/fd/{f}", 0o600)'),
    },
    {
      name: 'fchmod standard input',
      script: `python3 -c 'import os; os.fchmod(0, 0o600)'`,
      stdin: 'outside',
    },
    {
      name: 'set a time of standard input',
      script: `python3 -c 'import os; os.utime(0, (1, 1))'`,
      stdin: 'outside',
    },
    ...(
      [
        ['fchmod of an open file', 'os.fchmod(f, 0o600)'],
        ['fchmodat2 of an open file', 'call(452, f, b"", 0o600, 0x1000)'],
        [
          'chmod of an open file by a link to it',
          'os.symlink(f"/proc/self/fd/{f}", "l")\nos.chmod("l", 0o600)',
        ],
        ['futimens of an open file', 'os.utime(f, (1, 1))'],
        ['fsetxattr of an open file', 'os.setxattr(f, "user.x", b"x")'],
        // Since Linux 6.13.
        [
          'setxattrat of an open file',
          'b = ctypes.create_string_buffer(b"x")\ncall(463, f, b"", 0x1000, b"user.x", struct.pack("QII", ctypes.addressof(b), 1, 0), 16)',
        ],
        [
          'flags of an open file',
          'b = bytearray(8)\nfcntl.ioctl(f, 0x80086601, b)\nb[0] ^= 0x40\nfcntl.ioctl(f, 0x40086602, b)',
        ],
      ] as const
    ).map(([name, code]) => ({
      name,
      ...(name.startsWith('setxattrat') ? ({rare: true} as const) : {}),
      script: python(`f = os.open(OUTSIDE, os.O_RDONLY)\n${code}`),
      config: '[sandbox]\nread_roots = ["{home}/outside"]\n',
    })),
    {
      name: 'chown an open file',
      script: python('f = os.open(OUTSIDE, os.O_RDONLY)\nos.fchown(f, 1, 1)'),
      config: '[sandbox]\nread_roots = ["{home}/outside"]\n',
      only: 'root',
    },
    {
      name: 'the mode of /dev/null',
      script: python('f = os.open("/dev/null", os.O_RDONLY)\nos.fchmod(f, 0o666)'),
      only: 'root',
    },
    {
      name: 'the mode of /dev/null, by standard input',
      script: `python3 -c 'import os; os.fchmod(0, 0o666)'`,
      only: 'root',
    },
    {name: 'chown a file outside', script: 'chown 1:1 "$OUTSIDE"', only: 'root'},
    {name: 'set a time', script: 'touch -d 2001-01-01 "$OUTSIDE"'},
    {name: 'set an extended attribute', script: python('os.setxattr(OUTSIDE, "user.x", b"x")')},
  ],
  reads: [
    {name: 'through /proc/self/root', script: 'cat "/proc/self/root$OUTSIDE"'},
    {name: 'through the root of a process outside', script: 'cat "/proc/$VICTIM/root$OUTSIDE"'},
    {name: 'through a symlink', script: 'ln -s "$OUTSIDE" l; cat l'},
    {name: 'through a hard link', script: 'ln "$OUTSIDE" h && cat h'},
    {
      name: 'a secret in home',
      script: 'f=id_rsa; d=.ssh; cat ~/$d/$f',
      files: {'~/.ssh/id_rsa': 'PRIVATE\n'},
    },
    {name: '/etc/shadow', script: 'f=shadow; cat /etc/$f', only: 'root'},
    {
      name: 'open_by_handle_at',
      script: python(
        `h = (ctypes.c_char * 136)(); struct.pack_into('I', h, 0, 128); m = ctypes.c_int()\ncall(303, -100, OUTSIDE.encode(), h, ctypes.byref(m), 0)\nd = os.open('.', os.O_RDONLY)\nprint(os.read(call(304, d, h, 0), 10))`,
      ),
      only: 'root',
    },
  ],
  exec: [
    {name: 'through a symlink', script: 'ln -s "$OUTSIDE" l; ./l'},
    {name: 'as an argument of sh', script: 'sh "$OUTSIDE"'},
    {
      name: 'by a descriptor of its folder',
      script: python(
        'f = os.open(OUTSIDE, os.O_PATH); os.set_inheritable(f, True)\nos.execv(f"/proc/self/fd/{f}", ["x"])',
      ),
    },
  ],
  devices: [
    {
      name: 'the disk',
      rare: true,
      script:
        'd=$(findmnt -no SOURCE / 2>/dev/null); [ -b "$d" ] || d=$(ls /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | head -1); [ -b "$d" ] || exit 77; head -c 16 "$d" | wc -c | grep -q 16',
      only: 'root',
    },
    {name: 'the kernel log device', script: 'exec 3</dev/kmsg', only: 'root'},
    {
      name: 'the memory device',
      rare: true,
      script: '[ -e /dev/mem ] || exit 77; exec 3</dev/mem',
      only: 'root',
    },
  ],
  autorun: [
    autorun('write a hook', 'echo x >> .git/hooks/pre-commit'),
    autorun('remove a hook', 'rm -f .git/hooks/pre-commit && [ ! -e .git/hooks/pre-commit ]'),
    autorun('replace a hook', 'echo x > h; mv -f h .git/hooks/pre-commit'),
    autorun(
      'rename the hooks folder',
      'mv .git/hooks .git/h && mkdir .git/hooks && echo x > .git/hooks/pre-commit',
    ),
    autorun('rename .git away', 'mv .git g && cp -r g .git && echo x >> .git/hooks/pre-commit'),
    autorun(
      'through a hard link by another call',
      python('os.link(".git/hooks/pre-commit", "h")\nopen("h", "a").write("x")'),
    ),
    autorun('through a hard link', 'ln .git/hooks/pre-commit h && echo x >> h'),
    autorun('make a hook executable by all', 'chmod 777 .git/hooks/pre-commit'),
    autorun('truncate it', 'truncate -s 0 .git/hooks/pre-commit'),
    autorun("write ion's config", 'echo "# x" >> .ion/config.toml'),
    autorun("replace ion's folder", 'mv .ion i && mkdir .ion && echo "# x" > .ion/config.toml'),
    autorun("an editor's tasks", 'echo x >> .vscode/tasks.json'),
    autorun('.envrc', 'echo x >> .envrc'),
    {
      ...autorun(
        'a hook as standard input, opened again by a link',
        'ln -s /proc/self/fd/0 l; python3 -c \'import os; os.write(os.open("l", os.O_WRONLY), b"x")\'',
      ),
      stdin: '.git/hooks/pre-commit',
    },
    {
      ...autorun('a hook as standard input, opened again', 'echo x >> /proc/self/fd/0'),
      stdin: '.git/hooks/pre-commit',
    },
    autorun('.mcp.json', 'rm -f .mcp.json && [ ! -e .mcp.json ]'),
    autorun('what a link in a protected folder leads to', 'echo x >> tools/task'),
    autorun('the folder that such a link leads into', 'mv tools t && mkdir tools && echo x > tools/task'),
    {
      ...autorun('a hook that another process has replaced', `${waits}echo x >> .git/hooks/pre-commit`),
      meanwhile: replacedHooks,
      gap: replaced,
    },
    {
      ...autorun(
        'mode, owner, times and attributes of what another process has replaced',
        waits +
          python(`through = 0
for name in ".git/hooks/pre-commit", ".envrc":
    fd = os.open(name, os.O_RDONLY)
    for change in (lambda: os.chmod(name, 0o777), lambda: os.fchmod(fd, 0o777), lambda: os.chown(name, os.getuid(), -1), lambda: os.utime(name), lambda: os.utime(fd), lambda: os.setxattr(name, "user.a", b"x")):
        try:
            change()
            through += 1
        except OSError: pass
sys.exit(through == 0)`),
      ),
      meanwhile: replacedHooks,
      gap: replaced,
    },
    {
      ...autorun('a folder of hooks that another process has replaced', `${waits}mv .git/hooks h`),
      meanwhile: replacedHooks,
      gap: replaced,
    },
  ],
  'autorun-new': [
    {
      name: 'an unnamed file that gets its name by a link',
      script: python(
        'f = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o644)\nos.write(f, b"x")\nfor a in ((-100, b"/proc/self/fd/%d" % f, -100, b".mcp.json", 0x400), (f, b"", -100, b".mcp.json", 0x1000)):\n    try: call(265, *a)\n    except OSError: pass\nsys.exit(not os.path.exists(".mcp.json"))',
      ),
    },
    {name: "ion's config", script: 'mkdir -p .ion && echo x > .ion/config.toml'},
    {name: 'a hook', script: 'echo x > .git/hooks/post-checkout', files: repository},
    {
      name: 'a hook through another name of the folder',
      script: 'cd .git && echo x > ./hooks/../hooks/post-merge',
      files: repository,
    },
    {name: 'a hook moved in', script: 'echo x > h && mv h .git/hooks/post-commit', files: repository},
    {name: "an agent's settings", script: 'mkdir .claude && echo x > .claude/settings.json'},
    {name: 'as a symlink', script: 'mkdir d && echo x > d/tasks.json && ln -s d .vscode'},
    {name: 'a folder renamed to it', script: 'mkdir d && echo x > d/tasks.json && mv d .vscode'},
    // open(2) with O_CREAT creates the target of such a symlink.
    {
      name: 'by a dangling symlink',
      script: 'mkdir d && ln -s ../.envrc d/l && ln -s d/l m && echo x > m',
    },
    // Some file systems ignore case. For a file that does not exist, this cannot be known.
    {name: 'in other capitals', script: 'echo x > .ENVRC'},
    // ext4 with casefold, and HFS+, fold a long s and ignore invisible characters. FAT drops a dot at the end.
    {name: 'with a letter that folds to another', script: "mkdir $'.v\\u017fcode'"},
    {name: 'with an invisible character', script: "echo x > $'.en\\u200cvrc'"},
    {name: 'with a dot at its end', script: 'echo x > .envrc.'},
    {name: 'as a unix socket', script: python('socket.socket(socket.AF_UNIX).bind(".ion")')},
    {
      name: 'in a folder that comes to its place',
      script: 'mkdir d && echo x > d/later && { mv -T d folder || ln -s d folder; }; [ -e folder/later ]',
      config: '[sandbox]\nprotect = ["folder/later"]\n',
    },
  ],
  'autorun-nested': [
    nested('write a hook', 'echo x >> below/.git/hooks/pre-commit'),
    nested('a new hook', 'echo x > below/.git/hooks/post-merge'),
    nested('a new hook, by a dangling symlink', 'ln -s below/.git/hooks/post-merge l && echo x > l'),
    nested('a new hook, in other capitals', 'mkdir below/.git/HOOKS && echo x > below/.git/HOOKS/post-merge'),
    nested('a hook moved in', 'echo x > h && mv h below/.git/hooks/post-merge'),
    nested('write its config', 'printf "[core]\\n\\tfsmonitor = evil\\n" >> below/.git/config'),
    nested('replace its config', 'printf "[core]\\n\\tfsmonitor = evil\\n" > c && mv -f c below/.git/config'),
    nested(
      'swap its config',
      python(
        'open("c", "w").write("[core]\\n\\tfsmonitor = evil\\n")\ncall(316, -100, b"c", -100, b"below/.git/config", 2)',
      ),
    ),
    nested(
      'remove its config and make another',
      'rm below/.git/config && printf "[core]\\n\\tfsmonitor = evil\\n" > below/.git/config',
    ),
    nested('lead its worktree elsewhere', 'echo /tmp > below/.git/worktrees/tree/commondir'),
    nested('lead a worktree elsewhere', 'echo "gitdir: /tmp" > tree/.git'),
    nested('the config of a bare one', 'echo "[core]" >> bare.git/config'),
    nested(
      'a hook of a bare repository whose HEAD is missing for a while',
      'cd bare.git && mv HEAD H && echo x > hooks/post-merge && mv H HEAD',
    ),
    nested('its git folder moved away', 'mv below/.git b'),
    nested(
      'its git folder exchanged',
      python('os.mkdir("e")\ncall(316, -100, b"e", -100, b"below/.git", 2)'),
    ),
    nested(
      'its hook exchanged',
      python('open("x", "w").close()\ncall(316, -100, b"below/.git/hooks/pre-commit", -100, b"x", 2)'),
    ),
    nested(
      'its hook, by a second name for its descriptor',
      python(
        'f = os.open("below/.git/hooks/pre-commit", os.O_RDONLY)\ncall(265, f, b"", -100, b"x", 0x1000)\nopen("x", "a").write("x")',
      ),
    ),
    {
      ...nested(
        'a hook of a submodule whose HEAD is gone',
        'rm -f below/.git/modules/lib/HEAD; echo x > below/.git/modules/lib/hooks/post-merge',
      ),
      files: {
        ...below,
        'below/.git/modules/lib/HEAD': 'ref: refs/heads/main\n',
        'below/.git/modules/lib/config': '',
        'below/.git/modules/lib/hooks/': '',
      },
    },
    nested(
      'a hook, by names of the own process',
      'echo x > /proc/self/cwd/below/.git/hooks/a || echo x > /proc/thread-self/root$PWD/below/.git/hooks/a || { exec 5< below/.git; echo x > /dev/fd/5/hooks/a; }',
    ),
    nested(
      'a hook, from a folder that is gone',
      'mkdir -p d/x; cd d/x; rmdir ../x; echo x > ../../below/.git/hooks/a',
    ),
    nested('a hook, right after a change of the current folder', python(turnTo('below/.git'))),
    nested('a hook, from a folder that was removed', python(fromRemoved('below/.git'))),
    {
      ...nested(
        'a bare one whose name a failed mkdir announced',
        'mkdir -m 555 d; mkdir d/bare.git && exit 77; chmod 755 d; mv bare.git d && echo x > d/bare.git/hooks/post-merge',
      ),
    },
    {
      ...nested(
        'one that another process makes where the run removed folders',
        `mkdir d; mkdir d/{1..30}; mv d d2; rm -r d2\n${waits}echo x > later/.git/hooks/pre-commit`,
      ),
      meanwhile: makeLater,
    },
    {
      ...nested('one that another process makes meanwhile', `${waits}echo x > later/.git/hooks/pre-commit`),
      meanwhile: makeLater,
    },
  ],
  'denied-exec': [
    {
      name: 'by a copy of the dynamic loader',
      script: 'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; cp "$1" ./x && ./x "$(command -v sle""ep)" 0',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'by a script whose interpreter is a copy of the loader',
      // The kernel builds this command: loader, denied program, and the script as its argument.
      script:
        'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; cp "$1" x && printf "#!%s %s\\n" "$PWD/x" "$(command -v b""ase64)" > s && chmod +x s && ./s',
      config: '[permissions]\ndeny_commands = ["base64 *"]\n',
    },
    {
      name: 'by a copy that cannot be read',
      script: 'cp "$(command -v sle""ep)" c && chmod 111 c && ./c 0',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'by a copy of the dynamic loader that cannot be read',
      script:
        'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; cp "$1" x && chmod 111 x && ./x "$(command -v sle""ep)" 0',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'through a variable',
      script: 'c=sleep; $c 0',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'in a script',
      script: 'printf "#!/bin/sh\\nsleep 0\\n" > s; chmod +x s; ./s',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'from an interpreter',
      script: python('import subprocess\nsys.exit(subprocess.run([chr(115) + "leep", "0"]).returncode)'),
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
    {
      name: 'through a symlink',
      script: 'ln -s "$(command -v sle""ep)" ./x; ./x 0',
      config: '[permissions]\ndeny_commands = ["sleep *"]\n',
    },
  ],
  'metadata-handed': [
    {
      name: 'set a time of standard input',
      handed: true,
      script: `${handed}; python3 -c 'import os; os.utime(0, (1, 1))'`,
    },
    {
      name: 'change its mode by a link to it',
      handed: true,
      script: `${handed}; ln -s /proc/self/fd/0 l; chmod 700 l`,
    },
  ],
  'denied-paths-new': [
    {
      name: 'a wildcard',
      script: python('open("d/key" + ".pem").read()'),
      files: {'d/key.pem': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/**/*.pem"]\n',
    },
    {
      name: 'a file that another process makes',
      script: `${waits}s=late; grep x \${s}r`,
      config: '[permissions]\ndenied_paths = ["{work}/later"]\n',
      meanwhile: (workspace) => writeFileSync(`${workspace}/later`, 'x\n'),
    },
    {
      name: 'make what an entry without wildcards names',
      script: python(`n, made = "late" + "r", 0
def named():
    os.symlink(n, "l")
    open("l", "w")
ways = [lambda: open(n, "w"), lambda: os.mkdir(n), lambda: os.mkfifo(n), lambda: os.mknod(n, 0o100644), lambda: os.symlink("f", n), lambda: os.link("f", n), lambda: os.rename("g", n), lambda: socket.socket(socket.AF_UNIX).bind(n), named, lambda: os.rename("e", "d")]
for name in "f", "g", "in" + "ner": open(name, "w").close()
os.mkdir("e")
os.rename("in" + "ner", "e/in" + "ner")
for way in ways:
    try: way()
    except OSError: continue
    made += 1
    if n in os.listdir("."): os.rmdir(n) if os.path.isdir(n) and not os.path.islink(n) else os.unlink(n)
sys.exit(made == 0)`),
      config: '[permissions]\ndenied_paths = ["{work}/later", "{work}/d/inner"]\n',
    },
    {
      name: 'make it behind a link in the place of its folder',
      script: python(
        'n, made = "in" + "ner", 0\nos.mkdir("b")\nopen("b/" + n, "w").close()\nos.symlink("b", "l")\nfor way in (lambda: os.symlink("b", "d"), lambda: os.link("l", "d", follow_symlinks=False), lambda: os.rename("l", "d")):\n    try: way()\n    except OSError: continue\n    made += os.path.exists("d/" + n)\n    os.unlink("d")\nsys.exit(made == 0)',
      ),
      config: '[permissions]\ndenied_paths = ["{work}/d/inner"]\n',
    },
    {
      name: 'where a link of another process in the place of its folder leads',
      script: `${waits}s=sec; grep x moved/\${s}ret`,
      files: {'d/secret': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/d/secret"]\n',
      meanwhile: (workspace) => {
        renameSync(`${workspace}/d`, `${workspace}/moved`);
        symlinkSync('moved', `${workspace}/d`);
      },
      gap: replaced,
    },
    {
      name: 'the mode and attributes of a file that a wildcard denies',
      script: python(
        'n = "key" + ".pem"\ndone = 0\nfor change in (lambda: os.chmod(n, 0o777), lambda: os.utime(n), lambda: os.setxattr(n, "user.a", b"x")):\n    try: change(); done = 1\n    except OSError: pass\nsys.exit(not done)',
      ),
      files: {'key.pem': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/*.pem"]\n',
    },
    {
      name: 'the mode and attributes of such a folder, and attributes by a newer call',
      script: python(
        'n = "key" + ".pem"\ndone = 0\nfor change in (lambda: os.chmod(n, 0o2777), lambda: call(469, -100, n.encode(), struct.pack("QIIII", 0x40, 0, 0, 0, 0), 24, 0)):\n    try: change(); done = 1\n    except OSError: pass\nsys.exit(not done)',
      ),
      files: {'key.pem/': ''},
      config: '[permissions]\ndenied_paths = ["{work}/*.pem"]\n',
    },
    {
      name: 'a wildcard, by a descriptor that is only a name, after its removal',
      script: python(
        'n = "key" + ".pem"\nf = os.open(n, os.O_PATH)\nos.unlink(n)\nopen("/proc/self/fd/%d" % f).read()',
      ),
      files: {'key.pem': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/*.pem"]\n',
    },
    {
      name: 'make a denied place from a current folder that is renamed to its folder',
      script: python(
        'import time\nos.mkdir("d")\nos.chdir("d")\nfor _ in range(20):\n    time.sleep(0.006); open("f", "w").close(); os.rename("../d", "../e")\n    try: open("in" + "ner", "w").close(); sys.exit(0)\n    except OSError: os.rename("../e", "../d")\nsys.exit(1)',
      ),
      config: '[permissions]\ndenied_paths = ["{work}/e/inner"]\n',
    },
    {
      name: 'a wildcard, after a hard link',
      script: python('os.link("key" + ".pem", "l")\nopen("l").read()'),
      files: {'key.pem': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/*.pem"]\n',
    },
    {
      name: 'a wildcard, after moving the folder out of it',
      script: python('os.rename("d/k", "e")\nopen("e/key").read()'),
      files: {'d/k/key': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/*/k/key"]\n',
    },
  ],
  'denied-paths': [
    {
      name: 'a file in the workspace',
      script: 's=sec; grep x ${s}ret',
      files: {secret: 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/secret"]\n',
    },
    {
      name: 'a folder in the workspace',
      script: 's=sec; grep x ${s}rets/key',
      files: {'secrets/key': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/secrets"]\n',
    },
    {
      name: 'a file that another process replaced',
      script: `${waits}s=sec; grep x \${s}ret`,
      files: {secret: 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/secret"]\n',
      meanwhile: (workspace) => {
        writeFileSync(`${workspace}/new`, 'x\n');
        renameSync(`${workspace}/new`, `${workspace}/secret`);
      },
      gap: replaced,
    },
    {
      name: 'the mode of a file that another process replaced',
      script: `${waits}s=sec; chmod 777 \${s}ret`,
      files: {secret: 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/secret"]\n',
      meanwhile: (workspace) => {
        writeFileSync(`${workspace}/new`, 'x\n');
        renameSync(`${workspace}/new`, `${workspace}/secret`);
      },
      gap: replaced,
    },
    {
      name: 'after renaming its folder',
      script: 's=sec; mv d e && grep x e/${s}ret',
      files: {'d/secret': 'x\n'},
      config: '[permissions]\ndenied_paths = ["{work}/d/secret"]\n',
    },
  ],
  loopback: [
    {
      name: 'send a datagram beyond this machine',
      script: python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.connect(('192.0.2.1', 9))\ns.send(b'x')",
      ),
      config: loopback,
      rare: true,
    },
    {
      name: 'listen for other machines',
      script: listens("s.bind(('0.0.0.0', 0)); s.listen()"),
      config: loopback,
    },
    {
      name: 'listen for other machines, without bind',
      script: listens('s.listen()'),
      config: loopback,
    },
  ],
  'loopback-own': [
    {
      name: 'connect to a server of another process',
      script: reaches('INET', "('127.0.0.1', int(e['TCP']))"),
      config: loopback,
    },
    {
      name: 'connect to it by any address',
      script: reaches('INET', "('0.0.0.0', int(e['TCP']))"),
      config: loopback,
    },
    {
      name: 'connect by IPv6 to its IPv4 address',
      script: reaches('INET6', "('::ffff:127.0.0.1', int(e['TCP']))"),
      config: loopback,
    },
    {
      name: 'send a datagram to it',
      script: reaches('INET', "('127.0.0.1', int(e['UDP']))", 'DGRAM'),
      config: loopback,
    },
    {name: 'MPTCP', script: mptcp, config: loopback},
    {name: 'TCP fast open', script: fastOpen, config: loopback},
  ],
  'loopback-unshared': [
    {
      name: 'listen beside a server of another process',
      script: 'grep -q "$(printf "0100007F:%04X 00000000:0000 0A" "$TCP")" /proc/net/tcp',
      config: loopback,
    },
  ],
  network: [
    {
      ...reading(
        'reach a server in read mode, though the config opens the network',
        'exec 3<>/dev/tcp/127.0.0.1/$TCP',
      ),
      config: '[permissions]\nmode = "read"\n[sandbox]\nnetwork = "full"\n',
    },
    {name: 'connect to a server on this machine', script: reaches('INET', "('127.0.0.1', int(e['TCP']))")},
    {name: 'send a datagram to it', script: reaches('INET', "('127.0.0.1', int(e['UDP']))", 'DGRAM')},
    {
      name: 'connect by IPv6 to its IPv4 address',
      script: reaches('INET6', "('::ffff:127.0.0.1', int(e['TCP']))"),
    },
    {
      name: 'sendto without connect',
      script: python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(2)\ns.sendto(b'x', ('127.0.0.1', int(e['UDP'])))\nassert s.recv(100) == b'reached'",
      ),
    },
    {name: 'MPTCP', script: mptcp},
    {name: 'TCP fast open', script: fastOpen},
    {
      name: 'a raw socket',
      script: python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)\ns.sendto(b'x' * 40, ('127.0.0.1', 0))",
      ),
      only: 'root',
    },
    {name: 'listen for other machines', script: listens("s.bind(('0.0.0.0', 0)); s.listen()")},
  ],
  'unix-sockets': [
    {name: 'a stream socket beside the workspace', script: reaches('UNIX', "e['SOCK']")},
    {name: 'a stream socket in /tmp', script: reaches('UNIX', "e['TMPSOCK']")},
    {name: 'through a symlink', script: `ln -s "$TMPSOCK" s; ${reaches('UNIX', "'s'")}`},
    {
      name: 'through a hard link',
      script: `ln "$TMPSOCK" "$TMPSOCK.l" || exit 77; ${reaches('UNIX', "e['TMPSOCK'] + '.l'")}\nr=$?; rm "$TMPSOCK.l"; exit $r`,
    },
    {
      name: 'a datagram to /tmp',
      script: python(
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\ns.bind(os.getcwd() + '/own'); os.chmod('own', 0o777)\ns.settimeout(2)\ns.sendto(b'x', e['TMPDGRAM'])\nassert s.recv(100) == b'reached'",
      ),
    },
  ],
  'abstract-sockets': [{name: 'connect', script: reaches('UNIX', "'\\0' + e['ABSTRACT']")}],
  'other-sockets': [
    {name: 'a packet socket', script: python('socket.socket(17, socket.SOCK_RAW, 0)'), only: 'root'},
    {
      name: 'netlink of the kernel log of devices',
      script: python('s = socket.socket(16, socket.SOCK_RAW, 15)\ns.bind((0, 1))'),
    },
    {
      name: 'bluetooth, can and others',
      rare: true,
      script: python(
        'ok = 0\nfor f in (29, 31, 21, 9, 5):\n    try: socket.socket(f, socket.SOCK_STREAM if f != 29 else socket.SOCK_RAW); ok = 1\n    except OSError: pass\nsys.exit(0 if ok else 77)',
      ),
    },
  ],
  ipc: [
    {
      name: 'attach shared memory',
      script: python(
        "libc.shmat.restype = ctypes.c_long\nsys.exit(0 if libc.shmat(int(e['SHM']), None, 0) != -1 else 1)",
      ),
    },
    {
      name: 'read the state of shared memory',
      script: python(
        "from ctypes import byref\nb = (ctypes.c_char * 256)()\nsys.exit(0 if libc.shmctl(int(e['SHM']), 2, byref(b)) == 0 else 1)",
      ),
    },
  ],
  signals: [
    {name: 'a process outside', script: 'kill -0 $VICTIM'},
    {
      name: 'by sigqueue',
      script: python('call(129, VICTIM, 0, struct.pack("iii", 0, 0, -1).ljust(128, b"\\0"))'),
    },
    {name: 'by pidfd', script: python('f = os.pidfd_open(VICTIM)\nsignal.pidfd_send_signal(f, 0)')},
    {name: 'by tgkill', script: python('call(234, VICTIM, VICTIM, 0)')},
    {
      name: 'by F_SETOWN of a descriptor',
      script: python(
        'name = lambda: open(f"/proc/{VICTIM}/comm").read()\nbefore = name()\nr, w = socket.socketpair()\nfcntl.fcntl(r, fcntl.F_SETOWN, VICTIM)\nfcntl.fcntl(r, 10, signal.SIGURG)\nfcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)\nw.send(b"x")\nimport time\ntime.sleep(0.3)\nsys.exit(name() == before)',
      ),
    },
    // In a PID namespace its number is 0, which kill(2) takes for the caller's own group.
    {name: 'the launcher', script: '((PPID > 0)) && kill -0 $PPID'},
    {
      name: 'from a thread',
      script: python(
        'import threading\nr = []\ndef f():\n    os.kill(VICTIM, 0); r.append(1)\nt = threading.Thread(target=f); t.start(); t.join()\nassert r',
      ),
    },
  ],
  processes: [
    {name: 'memory', script: python('open(f"/proc/{VICTIM}/mem", "rb")')},
    {name: 'memory map', script: '[ -n "$(head -c 1 /proc/$VICTIM/maps)" ]'},
    {name: 'environment', script: '[ -n "$(tr -d "\\0" < /proc/$VICTIM/environ | head -c 1)" ]'},
    {
      name: 'environment of the launcher',
      script: '[ -n "$(tr -d "\\0" < /proc/$PPID/environ | head -c 1)" ]',
    },
    {name: 'current folder', script: 'ls /proc/$VICTIM/cwd/'},
    {name: 'descriptors', script: 'ls -l /proc/$VICTIM/fd/0'},
    {name: 'ptrace', script: python('call(101, 0x4206, VICTIM, 0, 0)')},
    {
      name: 'process_vm_readv',
      script: python(
        'a = int(open(f"/proc/{VICTIM}/stat").read().split()[27])\nb = (ctypes.c_char * 8)()\nclass V(ctypes.Structure): _fields_ = [("p", ctypes.c_void_p), ("n", ctypes.c_size_t)]\nl = V(ctypes.addressof(b), 8); r = V(a, 8)\nif a == 0: raise SystemExit(1)\ncall(310, VICTIM, ctypes.byref(l), 1, ctypes.byref(r), 1, 0)',
      ),
    },
    {
      name: "the kernel's trace files",
      // tracefs is mounted when a process first accesses it. On many machines /sys/kernel/tracing is empty.
      script: 'head -c 1 /sys/kernel/tracing/README | grep -q .',
      only: 'root',
      rare: true,
    },
    {name: 'pidfd_getfd', script: python('f = os.pidfd_open(VICTIM)\ncall(438, f, 0, 0)')},
  ],
  'hidden-processes': [
    {name: 'its folder in /proc', script: '[ -e /proc/$VICTIM ]'},
    {name: 'its command line, among all', script: 'tr "\\0" " " < /proc/$VICTIM/cmdline | grep -q victim'},
    {
      name: 'its number, by the error of a signal',
      script: python(
        'import errno\ntry: os.kill(VICTIM, 0)\nexcept OSError as x: sys.exit(x.errno == errno.ESRCH)',
      ),
    },
    {name: 'its process group', script: python('os.getpgid(VICTIM)')},
    {name: 'its scheduler', script: python('os.sched_getscheduler(VICTIM)')},
    {name: 'its folder, by the root of the run', script: '[ -e /proc/self/root/proc/$VICTIM ]'},
    {
      name: 'its folder, by the root of any process',
      script: 'for root in /proc/[0-9]*/root; do [ -e "$root/proc/$VICTIM" ] && exit 0; done; exit 1',
    },
    {name: 'a descriptor of it', script: python('os.pidfd_open(VICTIM)')},
  ],
  scheduling: [
    {
      name: 'the processors of a process outside',
      script: python('os.sched_setaffinity(VICTIM, os.sched_getaffinity(VICTIM))'),
    },
    {name: 'its scheduler', script: 'chrt -b -p 0 $VICTIM'},
    {
      name: 'its scheduler, by attributes',
      script: python('call(314, VICTIM, struct.pack("IIQiIQQQ", 48, 3, 0, 0, 0, 0, 0, 0), 0)'),
    },
    {name: 'its priority', script: 'renice -n 0 -p $VICTIM'},
    {
      name: 'the priority of its group',
      script: python(
        'g = os.getpgid(VICTIM)\nos.setpriority(os.PRIO_PGRP, g, os.getpriority(os.PRIO_PGRP, g))',
      ),
    },
    {name: 'its io priority', script: 'ionice -c 2 -n 4 -p $VICTIM'},
    {
      name: 'the memory of a process outside',
      script: python('p = ctypes.c_ulong(1)\ncall(256, VICTIM, 64, ctypes.byref(p), ctypes.byref(p))'),
    },
    {
      name: 'a thread of it',
      script: python(
        't = int(os.listdir(f"/proc/{VICTIM}/task")[0])\nos.sched_setaffinity(t, os.sched_getaffinity(t))',
      ),
    },
  ],
  'process-limits': [
    {
      name: 'a limit of a process outside',
      script: python(
        'import resource\nresource.prlimit(VICTIM, resource.RLIMIT_CORE, resource.prlimit(VICTIM, resource.RLIMIT_CORE))',
      ),
    },
  ],
  terminal: [
    {
      name: 'TIOCSTI',
      script: python(
        'm, s = os.openpty()\nif os.fork() == 0:\n    try:\n        os.setsid(); fcntl.ioctl(s, 0x540e, 0); fcntl.ioctl(s, 0x5412, b"x"); os._exit(0)\n    except OSError: os._exit(1)\nsys.exit(os.waitstatus_to_exitcode(os.wait()[1]))',
      ),
    },
    {
      name: 'TIOCSTI with high bits set',
      script: python(
        'm, s = os.openpty()\nif os.fork() == 0:\n    os.setsid(); fcntl.ioctl(s, 0x540e, 0)\n    libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]\n    os._exit(0 if libc.ioctl(s, 0x5412 | 1 << 32, b"x") == 0 else 1)\nsys.exit(os.waitstatus_to_exitcode(os.wait()[1]))',
      ),
    },
    {
      name: 'TIOCEXCL, which prevents other processes from opening it',
      script: python('m, s = os.openpty()\nfcntl.ioctl(s, 0x540c)'),
    },
    {
      name: 'another line discipline',
      script: python('m, s = os.openpty()\nfcntl.ioctl(s, 0x5423, struct.pack("i", 0))'),
    },
    {
      // Only a virtual console has these calls. On other terminals the test can only see that the kernel receives them.
      name: 'the keyboard and screen of a virtual console',
      script: python(
        'm, s = os.openpty()\nfor request in (0x4b45, 0x4b3a, 0x5602, 0x4b4b, 0x4bfb):\n    try: fcntl.ioctl(s, request, bytearray(4096))\n    except OSError as e: sys.exit(1) if e.errno == 1 else None',
      ),
    },
  ],
  'set-id': [
    {
      name: 'a device node that a rename leaves',
      script: python(
        'open("f", "w").close()\ncall(316, -100, b"f", -100, b"g", 4)\nsys.exit(not os.path.exists("f"))',
      ),
    },
    {
      name: 'in the mode of open',
      script: python(
        'os.umask(0)\nf = os.open("f", os.O_CREAT | os.O_WRONLY, 0o4755)\nsys.exit(0 if os.stat("f").st_mode & 0o4000 else 1)',
      ),
    },
    {
      name: 'in the mode of openat2',
      script: python(
        'h = struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0)\nos.umask(0)\ncall(437, -100, b"f", h, 24)\nsys.exit(0 if os.stat("f").st_mode & 0o4000 else 1)',
      ),
    },
    {name: 'fchmod', script: python('f = os.open("f", os.O_CREAT | os.O_WRONLY)\nos.fchmod(f, 0o2755)')},
    {name: 'fchmodat2', script: python('open("f", "w")\ncall(452, -100, b"f", 0o4755, 0)')},
    {name: 'install -m', script: 'install -m 4755 /bin/true f && [ -u f ]'},
    {
      name: 'mknod(2) of a file',
      script: python(
        'os.umask(0)\nos.mknod("f", 0o104755)\nsys.exit(0 if os.stat("f").st_mode & 0o4000 else 1)',
      ),
    },
    {
      name: 'file capabilities',
      script: python(
        'open("f", "w")\nos.setxattr("f", "security.capability", struct.pack("<IIIII", 0x02000001, 0xff, 0, 0, 0))',
      ),
      only: 'root',
    },
  ],
  kernel: [
    {
      name: 'clone with a user namespace',
      script: python('p = call(56, 0x10000000 | 17, 0, 0, 0, 0)\nif p == 0: os._exit(0)\nos.waitpid(p, 0)'),
    },
    {
      name: 'clone3',
      script: python(
        'a = struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0)\np = call(435, a, 64)\nif p == 0: os._exit(0)\nos.waitpid(p, 0)',
      ),
    },
    {name: 'a network namespace', script: 'unshare -rn true'},
    {name: 'mount', script: 'mkdir m && mount -t tmpfs none m && umount m', only: 'root'},
    {name: 'chroot', script: 'chroot / true', only: 'root'},
    {name: 'join a namespace', script: 'nsenter -t $$ -u true', only: 'root'},
    {name: 'io_uring', script: python('b = (ctypes.c_char * 120)()\ncall(425, 4, b)')},
    {
      name: 'bpf',
      script: python('b = struct.pack("IIII", 2, 4, 4, 4) + bytes(100)\ncall(321, 0, b, 72)'),
      only: 'root',
    },
    {
      name: 'perf',
      script: python('b = struct.pack("IIQ", 1, 112, 0) + bytes(96)\ncall(298, b, 0, -1, -1, 0)'),
    },
    {name: 'userfaultfd', script: python('call(323, 1)')},
    {name: 'fanotify', script: python('call(300, 0x200, 0)')},
    {
      name: 'mounts by their own calls',
      script: python(
        'f = call(430, b"tmpfs", 0)\ncall(431, f, 6, 0, 0, 0)\nm = call(432, f, 0, 0)\nassert os.open(".", os.O_RDONLY, dir_fd=m)',
      ),
      only: 'root',
    },
    {
      name: 'a copy of the mounts, without what hides files in them',
      script: python('call(428, -100, b".", 0x1)'),
      only: 'root',
    },
    {
      name: 'a lease, which delays a process outside that writes the file',
      script: python('open("f", "w").close()\nfcntl.fcntl(os.open("f", os.O_RDONLY), 1024, fcntl.F_RDLCK)'),
    },
    {
      // Since Linux 6.19. Before, the test can only see that the kernel receives the call.
      name: 'a delegation of a folder, which delays a process outside that creates a file in it',
      script: python(
        'try: fcntl.fcntl(os.open(".", os.O_RDONLY), 1040, struct.pack("IHH", 0, fcntl.F_RDLCK, 0))\nexcept OSError as e: sys.exit(e.errno == 1)',
      ),
    },
    {
      // Only btrfs has it. On other file systems the test can only see that the kernel receives the call.
      name: 'a snapshot, which shows what mounts hide',
      script: python(
        'try: fcntl.ioctl(os.open(".", os.O_RDONLY), 0x50009417, bytearray(4096))\nexcept OSError as e: sys.exit(e.errno == 1)',
      ),
    },
    {
      // The same. Neither Landlock nor the supervisor sees the file appear or disappear, even outside the write roots.
      name: 'create and remove subvolumes by a read-only descriptor',
      script: python(
        'for request in (0x5000940e, 0x50009418, 0x5000940f, 0x5000943f):\n    try: fcntl.ioctl(os.open(".", os.O_RDONLY), request, bytearray(4096))\n    except OSError as e: sys.exit(1) if e.errno == 1 else None',
      ),
    },
    {name: 'keyctl', script: python('call(250, 0, -3, 1)')},
    {name: 'add a key', script: python('call(248, b"user", b"ion-test", b"x", 1, -2)')},
    {
      // ext4, f2fs and ubifs have it, if they were formatted with it. On other file systems the test can only see that the kernel
      // receives the call.
      name: 'the key of an encrypted folder',
      script: python(
        'for request in (0xc0506617, 0xc0406618, 0xc0406619):\n    try: fcntl.ioctl(os.open(".", os.O_RDONLY), request, bytearray(80))\n    except OSError as e: sys.exit(1) if e.errno == 1 else None',
      ),
    },
    {name: 'set the host name', script: 'hostname "$(hostname)"', only: 'root'},
    {
      // A kernel without them (CONFIG_IA32_EMULATION) ends the process before the sandbox sees the call.
      name: '32-bit calls',
      rare: true,
      script: python(
        'import mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(bytes.fromhex("53b814000000cd805bc3"))\nf = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nsys.exit(0 if f() > 0 else 1)',
      ),
    },
  ],
  descriptors: [{name: 'a descriptor that the caller left open', script: '[ -e /proc/self/fd/9 ]'}],
};

/** Attacks that succeed where a protection is best effort. */
const gaps: readonly (Required<Row>['gap'] & {
  readonly of: ProtectionId;
  readonly names: readonly string[];
})[] = [
  {
    of: 'read-mapped',
    names: ['map a file of the workspace as code', 'make what is mapped executable'],
    on: ['no namespaces', 'docker'],
    why: 'only noexec mounts stop a listed program that maps a file itself',
  },
  {
    of: 'streams-appended',
    names: ['truncated through a descriptor that another thread exchanges'],
    on: ['no pidfd_getfd', 'docker'],
    why: 'the supervisor cannot act on the descriptor that it checked',
  },
];

const gapOf = (protection: string, name: string): Pick<Row, 'gap'> => {
  const gap = gaps.find(({of, names}) => of === protection && names.includes(name));
  return gap ? {gap} : {};
};

/** The doctor's attacks, and the attacks that need a larger scene. */
const tables: readonly Partial<Record<ProtectionId, readonly Attack[]>>[] = [
  attacks,
  own,
  streamRows,
  nameRows,
];

export const rows: readonly Row[] = tables.flatMap((table) =>
  Object.entries(table).flatMap(([protection, list]) =>
    list
      .filter((attack) => !('doctor' in attack))
      .map((attack) => ({
        ...gapOf(protection, attack.name),
        ...attack,
        protection: protection as ProtectionId,
      })),
  ),
);

/** Programs of the attacks and everyday work, which must work inside. Otherwise a refusal above would prove nothing. */
export type Control = Attack & {readonly except?: readonly string[]};
export const controls: readonly Control[] = [
  {name: 'python and ctypes', script: python('assert call(39) == os.getpid()')},
  {name: 'write the workspace and /tmp', script: 'echo x > f && cp f g && mv g h && t=$(mktemp) && rm "$t"'},
  {
    name: 'a unix socket of its own',
    /* nothing tells it from another's: refused */ except: [
      'no pidfd_getfd',
      'docker',
      'no listener',
      'no killable wait',
      'before 5.12',
      'no ptrace',
      'bare',
    ],
    script: python(
      'a = socket.socket(socket.AF_UNIX); a.bind("s"); a.listen()\nb = socket.socket(socket.AF_UNIX); b.connect("s")',
    ),
  },
  {
    name: 'its own abstract socket',
    /* in a namespace that is shared, nothing tells it from another's either */ except: [
      'no namespaces',
      'no pidfd_getfd',
      'docker',
      'no listener',
      'no killable wait',
      'before 5.12',
      'no ptrace',
      'bare',
    ],
    script: python(
      'a = socket.socket(socket.AF_UNIX); a.bind("\\0own" + str(os.getpid())); a.listen()\nb = socket.socket(socket.AF_UNIX); b.connect(a.getsockname())',
    ),
  },
  {
    name: 'its own server',
    /* refused: 125 */ except: ['docker', 'before 5.12', 'bare'],
    config: loopback,
    script: python(
      'a = socket.create_server(("127.0.0.1", 0))\nb = socket.create_connection(a.getsockname()); b.send(b"x")\nassert a.accept()[0].recv(9) == b"x"',
    ),
  },
  {name: 'signals to its own processes', script: 'sleep 9 & kill $!; ! wait $!'},
  {
    name: 'its own scheduling',
    script:
      'sleep 9 & renice -n 19 -p $! && chrt -b -p 0 $! && ionice -c 3 -p $! && taskset -p ffffffff $! && nice -n 3 true && kill $!',
  },
  {
    name: 'its own oom score and name',
    /* without a supervisor that opens the files */ except: [
      'no listener',
      'no killable wait',
      'before 5.12',
      'no ptrace',
      'bare',
    ],
    script:
      'echo 300 > /proc/self/oom_score_adj && [ "$(cat /proc/self/oom_score_adj)" = 300 ] && sleep 9 & sleep 0.1; choom -n 400 -p $! && kill $! && printf own > /proc/$$/comm && [ "$(cat /proc/$$/comm)" = own ]',
  },
  {
    name: 'chmod and times of its own files',
    script: 'touch f && chmod 755 f && touch -d 2001-01-01 f && mkdir d',
  },
  {name: 'a pseudo-terminal', script: python('m, s = os.openpty(); os.write(s, b"x")')},
  {name: 'its own descriptors and process', script: 'ls /proc/self/fd/ && cat /proc/self/status'},
  {
    name: 'threads and processes',
    script: python(
      'import multiprocessing\nif __name__ == "__main__":\n    p = multiprocessing.get_context("fork").Process(target=print); p.start(); p.join()',
    ),
  },
];
