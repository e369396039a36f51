import {mkdirSync, renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {ProtectionId} from '../sandbox/matrix.ts';

/**
 * One attack on a protection, as bash: exits 0 when it got through, 77 when there is nothing to attack with, 127 when bash
 * does not find its program, anything else when it was refused. `$OUTSIDE` is an executable file outside the workspace, `$ION`
 * the pid of ion; the other variables are those of outside.ts. In the workspace stand `.git/hooks/pre-commit`, `.vscode/`, another
 * repository in `below/`, and the denied files `secret` and `key.pem`; `base64` is denied. The same attacks run unsandboxed in the tests, where they must get through.
 */
export interface Attack {
  readonly name: string;
  readonly script: string;
  /** Not every kernel has what it attacks. */
  readonly rare?: true;
  /** It needs what only the doctor sets up. */
  readonly doctor?: true;
  /** What there is not when it exits with 77. */
  readonly without?: string;
  /** Tried in a session in read mode, where nothing looks at the text. */
  readonly undecided?: true;
  /** Best effort states that this one passes: tried only where the protection is enforced. */
  readonly enforcedOnly?: true;
  /** Tried in a session with network = "loopback". */
  readonly loopback?: true;
  /** Standard input is `$OUTSIDE`, opened for writing. */
  readonly handed?: true;
  /** What is handed over as a standard stream (given-streams.ts). */
  readonly given?: Given;
  /**
   * What another process does in the workspace while the command waits for it (`waits`): it replaces something, and the kernel takes
   * the mounts on that away. Then the supervisor stands alone, so it is tried only where there is one.
   */
  readonly meanwhile?: (workspace: string) => void;
  /** It is refused wherever it can be; what is tried is whether that is told. */
  readonly told?: true;
  /** A command line (words ended by NUL) that no process may have when the run is over. */
  readonly leaves?: string;
}

/**
 * - `piped`: standard input is a pipe, for reading.
 * - `removed`: standard input is a removed file, for reading.
 * - `reader`: standard output is a pipe, with `secret` in it that is for its reader.
 * - `log`: standard output is `$OUTSIDE`, for appending.
 * - `connection`: standard input is a connection to a server outside.
 */
export type Given = 'piped' | 'removed' | 'reader' | 'log' | 'connection';

/** Python, where it is there, for calls that bash cannot make. */
function python(code: string): string {
  return `command -v python3 >/dev/null || exit 77\npython3 - "$OUTSIDE" "$ION" <<'END'\nimport os, socket, sys\nOUTSIDE, ION = sys.argv[1], int(sys.argv[2])\n${code}\nEND`;
}

/** By the system's own Python: one of a toolchain is a wrapper that starts others. */
function systemPython(code: string): string {
  return `[ -x /usr/bin/python3 ] || exit 77\n/usr/bin/python3 - <<'END'\nimport os\n${code}\nEND`;
}

/** A connection to one of ion's sockets, where ion could make it. */
function socket(variable: string, code: string): string {
  return `[ -n "$${variable}" ] || exit 77\n${python(`s = socket.socket(socket.AF_UNIX)\n${code}`)}`;
}

/** Of the streams that were given: by python, which takes its program from another descriptor. */
function given(code: string): string {
  return `command -v python3 >/dev/null || exit 77\nexec 9<<'END'\nimport ctypes, fcntl, os, socket, sys\n${code}\nEND\npython3 /dev/fd/9`;
}

/** Never on anything else, which could be /dev/null. */
export const handed = '[ /dev/fd/0 -ef "$OUTSIDE" ] || exit 77';

/** The beginning of a script with a `meanwhile`. */
export const waits =
  'touch asked; for i in {1..500}; do [ -e done ] && break; sleep 0.02; done; [ -e done ] || exit 77\n';

/** Replace a file, as editors and passwd(1) do. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** A folder of this name with this file in it, in the place of the old one. */
function replaceFolder(folder: string, file: string): void {
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, file), '');
}

/** Reaches the file system, whatever that one says of the request: only the sandbox answers EPERM. */
const asksFileSystem = (request: string, error: string): string =>
  python(
    `import errno, fcntl\ntry: fcntl.ioctl(os.open(".", os.O_RDONLY), ${request}, bytearray(4096))\nexcept OSError as e: sys.exit(e.errno == errno.${error})`,
  );

export const attacks: Readonly<Record<ProtectionId, readonly Attack[]>> = {
  writes: [
    {name: 'create a file beside the workspace', script: 'echo x > ../created'},
    {name: 'append to a file outside', script: 'echo x >> "$OUTSIDE"'},
    {name: 'write through a symlink', script: 'ln -s "$OUTSIDE" link && echo x >> link'},
    {name: 'move a file out', script: 'echo x > f; mv f ../moved'},
    {name: 'hard link a file in', script: 'ln "$OUTSIDE" linked'},
    {name: 'remove a file outside', script: 'rm "$OUTSIDE"'},
    {name: 'make a folder outside', script: 'mkdir ../folder'},
  ],
  truncate: [{name: 'truncate a file outside', script: 'truncate -s 0 "$OUTSIDE"'}],
  reads: [
    {name: 'read a file outside', script: 'cat "$OUTSIDE"'},
    {name: 'list the folder around the workspace', script: 'ls .. | grep -qx outside'},
    {name: 'read through /proc/self/cwd', script: 'cat /proc/self/cwd/../outside'},
  ],
  metadata: [
    {name: 'change a mode outside', script: 'chmod 600 "$OUTSIDE"'},
    {name: 'change a time outside', script: 'touch -d 2001-01-01 "$OUTSIDE"'},
  ],
  autorun: [
    {name: 'write a hook', doctor: true, script: 'echo x >> .git/hooks/pre-commit'},
    {name: 'replace the folder of hooks', doctor: true, script: 'mv .git .git-old'},
    {name: 'remove an editor setting', doctor: true, script: 'rmdir .vscode'},
    {name: 'write what a link in it leads to', doctor: true, script: 'echo x >> tools/hook'},
    {
      name: 'write a hook in a folder that another process has put there',
      doctor: true,
      meanwhile: (workspace) => replaceFolder(path.join(workspace, '.git/hooks'), 'pre-commit'),
      script: `${waits}echo x >> .git/hooks/pre-commit`,
    },
  ],
  'autorun-new': [
    {name: 'plant a file for direnv', script: 'echo x > .envrc'},
    {name: 'plant settings of an agent', script: 'mkdir .claude'},
    {name: 'plant a file under another name', script: 'echo x > f && mv f .mcp.json'},
    {name: 'plant a file by another spelling', script: "mkdir $'.c\\u200claude.'"},
  ],
  'autorun-nested': [
    {
      name: 'write a hook of a repository below',
      doctor: true,
      script: 'echo x >> below/.git/hooks/pre-commit',
    },
    {
      name: 'have such a repository run something',
      doctor: true,
      script: 'printf "[core]\\n\\tfsmonitor = evil\\n" >> below/.git/config',
    },
    {
      // Born in the run, as what overlayfs copies up is, and not made by it.
      name: 'write a hook of a repository that another process makes meanwhile',
      doctor: true,
      meanwhile: (workspace) => {
        mkdirSync(path.join(workspace, 'later/.git/hooks'), {recursive: true});
        writeFileSync(path.join(workspace, 'later/.git/HEAD'), 'ref: refs/heads/main\n');
      },
      script: `${waits}echo x > later/.git/hooks/pre-commit`,
    },
  ],
  'metadata-handed': [
    {
      name: 'change the mode of standard input',
      handed: true,
      script: `${handed}\n${python('os.fchmod(3, 0o700)').replace('<<', '3<&0 <<')}`,
    },
  ],
  'denied-paths': [
    {name: 'read a denied file', doctor: true, script: 'grep -q . secret'},
    {
      name: 'read what another process has put in its place',
      doctor: true,
      meanwhile: (workspace) => replaceFile(path.join(workspace, 'secret'), 'secret\n'),
      script: `${waits}grep -q . secret`,
    },
  ],
  'denied-paths-new': [
    {name: 'read a file that a wildcard denies', doctor: true, script: 'grep -q . key.pem'},
    {
      name: 'read one under another name',
      doctor: true,
      script: 'ln key.pem l && grep -q . l || mv key.pem k && grep -q . k',
    },
  ],
  'denied-exec': [
    {name: 'execute a denied program', doctor: true, script: 'base64 /dev/null'},
    {
      name: 'execute a copy of it',
      doctor: true,
      script: 'cp "$(command -v base64)" copy && ./copy /dev/null',
    },
    {
      name: 'execute it by the dynamic loader',
      doctor: true,
      script: 'set -- /lib64/ld-linux*; [ -e "$1" ] || exit 77; "$1" "$(command -v base64)" /dev/null',
    },
  ],
  'unix-sockets': [
    {
      name: 'connect to a socket of ion',
      doctor: true,
      script: socket('SOCKET', 's.connect(os.environ["SOCKET"])'),
    },
    {
      name: 'connect through a symlink',
      doctor: true,
      script: socket('SOCKET', 'os.symlink(os.environ["SOCKET"], "link2"); s.connect("link2")'),
    },
  ],
  'abstract-sockets': [
    {
      name: 'connect to an abstract socket of ion',
      doctor: true,
      script: socket('ABSTRACT', 's.connect(chr(0) + os.environ["ABSTRACT"])'),
    },
  ],
  devices: [
    {
      name: 'open a device',
      doctor: true,
      without: 'no device but the harmless ones can be opened by this user',
      script: '[ -n "$DEVICE" ] || exit 77; exec 3<"$DEVICE"',
    },
  ],
  ipc: [
    {
      name: 'read shared memory of a process outside',
      doctor: true,
      without: 'there is no /dev/shm that this user can write',
      script: '[ -n "$SHARED" ] || exit 77; cat "$SHARED"',
    },
    {
      name: 'share queues, semaphores and segments with the outside',
      doctor: true,
      without: 'the kernel has no IPC namespaces',
      script: '[ -n "$IPC" ] || exit 77; [ "$(readlink /proc/self/ns/ipc)" = "$IPC" ]',
    },
  ],
  told: [{name: 'write outside without a word', doctor: true, told: true, script: 'echo x > ../created'}],
  loopback: [{name: 'reach a network', doctor: true, loopback: true, script: 'exec 3<>/dev/udp/192.0.2.1/9'}],
  'loopback-own': [
    {
      name: "reach a server of this machine's",
      doctor: true,
      loopback: true,
      without: 'no server could be started',
      script: '[ -n "$PORT" ] || exit 77; exec 3<>/dev/tcp/127.0.0.1/$PORT',
    },
  ],
  'loopback-unshared': [
    {
      // Where it sees that server, who reaches the one reaches the other.
      name: "listen on this machine's loopback",
      doctor: true,
      loopback: true,
      without: 'no server could be started, or /proc does not list them',
      script:
        '[ -n "$PORT" ] && [ -r /proc/net/tcp ] || exit 77; grep -q "$(printf "0100007F:%04X 00000000:0000 0A" "$PORT")" /proc/net/tcp',
    },
  ],
  terminals: [
    {
      name: 'open another terminal',
      without: 'no other terminal could be made (python3 is not installed)',
      script: '[ -n "$TERMINAL" ] || exit 77; echo x > "$TERMINAL"',
    },
  ],
  terminal: [
    {
      // Its own, of which it is the leader: with the user's it would type for the user.
      name: 'type into a terminal',
      doctor: true,
      without: 'this kernel lets nobody type into a terminal, or python3 is not installed',
      script: python(
        `import errno, fcntl
m, s = os.openpty()
if os.fork() == 0:
    try: os.setsid(); fcntl.ioctl(s, 0x540e, 0); fcntl.ioctl(s, 0x5412, b" "); os._exit(0)
    except OSError as e: os._exit(77 if e.errno == errno.EIO else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))`,
      ),
    },
  ],
  tree: [
    {
      name: 'leave a process behind',
      doctor: true,
      script: 'setsid sleep 3.14159 & disown; exit 3',
      leaves: 'sleep\x003.14159',
    },
  ],
  'read-exec': [
    {
      name: 'execute a file of the workspace',
      doctor: true,
      undecided: true,
      without: 'the scratch folder lies where nothing may be executed',
      script: '[ -x program ] || exit 77; ./program',
    },
    {
      name: 'execute a copy in the temp folder',
      doctor: true,
      undecided: true,
      script: 'cp "$(command -v true)" "$TMPDIR/copy" && "$TMPDIR/copy"',
    },
  ],
  'read-mapped': [
    {
      name: 'map a file of the workspace as code',
      doctor: true,
      undecided: true,
      enforcedOnly: true,
      without:
        'it is best effort here: a program that maps a file by itself passes; or the attack lacks /usr/bin/python3',
      script: systemPython(
        'import mmap\nmmap.mmap(os.open("program", os.O_RDONLY), 1, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)',
      ),
    },
  ],
  'read-programs': [
    {
      name: 'execute a program that the text does not name',
      doctor: true,
      undecided: true,
      script: '"${BASH%/*}/env" > /dev/null',
    },
    {
      name: 'change a variable that keeps git to reading',
      doctor: true,
      undecided: true,
      script: 'env -u GIT_PAGER env > /dev/null',
    },
  ],
  exec: [
    {
      name: 'execute a file outside',
      without: 'the scratch folder lies where nothing may be executed',
      script: '[ -e "$OUTSIDE" ] || exit 1; [ -x "$OUTSIDE" ] || exit 77; "$OUTSIDE"',
    },
  ],
  network: [
    {
      name: 'reach a server of ion',
      doctor: true,
      without: 'no server could be started',
      script: '[ -n "$PORT" ] || exit 77; exec 3<>/dev/tcp/127.0.0.1/$PORT',
    },
    // Nothing answers there; a datagram socket is connected as soon as there is a route.
    {
      name: 'reach a network',
      script: python("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"),
    },
    {name: 'reach a network with bash', script: 'exec 3<>/dev/udp/192.0.2.1/9'},
    {name: 'reach this machine', script: 'exec 3<>/dev/udp/127.0.0.1/9'},
  ],
  'other-sockets': [
    {name: 'make a vsock socket', script: python('socket.socket(40, socket.SOCK_STREAM)')},
    {
      name: 'make a kernel crypto socket',
      rare: true,
      script: python('socket.socket(38, socket.SOCK_SEQPACKET)'),
    },
  ],
  signals: [{name: 'signal ion', script: 'kill -0 "$ION"'}],
  processes: [
    {name: 'read the environment of ion', script: 'cat /proc/$ION/environ'},
    {name: 'see what a descriptor of ion is', script: 'readlink /proc/$ION/fd/0'},
  ],
  scheduling: [
    {
      name: 'change the priority of ion',
      script: python('os.setpriority(os.PRIO_PROCESS, ION, os.getpriority(os.PRIO_PROCESS, ION))'),
    },
  ],
  'process-limits': [
    {
      name: 'set a limit of ion',
      script: python(
        'import resource\nresource.prlimit(ION, resource.RLIMIT_CORE, resource.prlimit(ION, resource.RLIMIT_CORE))',
      ),
    },
  ],
  'set-id': [
    {name: 'make a set-user-id file', script: 'touch f && chmod u+s f'},
    {name: 'make a device node', script: 'mknod node c 1 3'},
  ],
  kernel: [
    {name: 'make a user namespace', script: 'unshare -U true'},
    {name: 'make a mount namespace', script: 'unshare -m true'},
    {name: 'read the kernel log', script: 'dmesg'},
    {name: 'ask a file system for a subvolume', script: asksFileSystem('0x5000940e', 'EPERM')},
    {
      name: 'ask for what is not known to be harmless',
      script: python('import fcntl\nfcntl.ioctl(os.open("/proc/self/ns/user", os.O_RDONLY), 0xb703)'),
    },
  ],
  privileges: [
    {name: 'gain privileges by executing', script: 'grep -q "NoNewPrivs:.0" /proc/self/status'},
    {
      name: 'keep CAP_SYS_ADMIN',
      script: '(( 0x$(sed -n "s/^CapBnd:.//p" /proc/self/status) & 0x200000 )) && [ "$(id -u)" = 0 ]',
    },
  ],
  'private-temp': [
    {
      name: "read another run's temp folder",
      doctor: true,
      without: 'no folder could be made for it',
      script: '[ -n "$PRIVATE" ] || exit 77; cat "$PRIVATE/file"',
    },
    {
      name: "write another run's temp folder",
      doctor: true,
      without: 'no folder could be made for it',
      script: '[ -n "$PRIVATE" ] || exit 77; echo x > "$PRIVATE/new"',
    },
  ],
  etc: [
    {
      name: 'read what only root may read',
      without: 'this user may read nothing there that others may not',
      script:
        'for f in $(find /etc -xdev -type f ! -perm -o+r 2>/dev/null); do [ -r "$f" ] && [ -s "$f" ] && tried=1; cat "$f" 2>/dev/null | grep -q . && exit 0; done; [ -n "$tried" ] && exit 1; exit 77',
    },
  ],
  names: [
    {
      name: 'ask for the size of a file outside',
      script: 'stat -c %s "$OUTSIDE"',
    },
    {name: 'list its attributes', script: python('os.listxattr(OUTSIDE)')},
  ],
  streams: [
    {name: 'write into a pipe that is standard input', given: 'piped', script: 'echo x > /dev/stdin'},
    {
      name: 'write it by the folder of descriptors of another process',
      given: 'piped',
      script: 'exec 7<&0; sleep 1 & echo x > /proc/$!/fd/7',
    },
    {
      name: 'write a removed file that is standard input',
      given: 'removed',
      script: given('os.fchmod(0, 0o600); os.write(os.open("/proc/self/fd/0", os.O_RDWR), b"x")'),
    },
  ],
  'streams-written': [
    {
      name: 'read what others have put into standard output',
      given: 'reader',
      script: given(
        'sys.exit(os.read(os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK), 6) != b"secret")',
      ),
    },
  ],
  'streams-appended': [
    {name: 'cut a log', given: 'log', script: given('os.ftruncate(1, 0)')},
    {
      name: 'write a log before its end',
      given: 'log',
      script: given(
        'fcntl.fcntl(1, fcntl.F_SETFL, 0); sys.exit(bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_APPEND))',
      ),
    },
    {
      name: 'open a log without appending',
      given: 'log',
      script: given(
        'sys.exit(bool(fcntl.fcntl(os.open("/proc/self/fd/1", os.O_WRONLY), fcntl.F_GETFL) & os.O_APPEND))',
      ),
    },
    {
      name: 'take a piece out of a log',
      given: 'log',
      script: given('sys.exit(ctypes.CDLL(None).fallocate(1, 3, ctypes.c_long(0), ctypes.c_long(1)) != 0)'),
    },
  ],
  'streams-sockets': [
    {
      name: 'dissolve a connection, to make another one',
      given: 'connection',
      without: 'no server could be started',
      script: given(
        's = socket.socket(fileno=0)\nsys.exit(ctypes.CDLL(None).connect(0, bytes(16), 16) != 0)',
      ),
    },
  ],
  identity: [
    {
      name: 'connect to what only root may connect to',
      doctor: true,
      without: 'only root has ids to give up',
      script: `[ "$(id -u)" = 0 ] || exit 77\n${python(
        `s = socket.socket(socket.AF_UNIX); s.bind("root-only"); s.listen(); os.chmod("root-only", 0o600); os.chmod(".", 0o777)
try: os.setgroups([]); os.setgid(65534); os.setuid(65534)
except OSError: sys.exit(77)
socket.socket(socket.AF_UNIX).connect("root-only")`,
      )}`,
    },
  ],
  descriptors: [{name: 'inherit a descriptor', script: '[ -e /proc/self/fd/4 ] || [ -e /proc/self/fd/5 ]'}],
};
