import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {python, type Attack} from './attack.ts';

/** Attacks on other processes, and on resources that the run shares with them. */
export const onProcesses = {
  ipc: [
    {
      name: 'read shared memory of a process outside',
      doctor: true,
      without: 'there is no /dev/shm that this user can write',
      script: '[ -n "$SHARED" ] || exit 77; cat "$SHARED"',
    },
    {
      name: 'share message queues, semaphores and shared memory with processes outside',
      doctor: true,
      without: 'the kernel has no IPC namespaces',
      script: '[ -n "$IPC" ] || exit 77; [ "$(readlink /proc/self/ns/ipc)" = "$IPC" ]',
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
      // The script makes its own terminal, and a session for it. On the user's terminal a successful attack would type commands
      // in the user's shell.
      name: 'type into a terminal',
      doctor: true,
      without: 'this kernel lets no process type into a terminal, or python3 is not installed',
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
  signals: [{name: 'signal ion', script: 'kill -0 "$ION"'}],
  processes: [
    {name: 'read the environment of ion', script: 'cat /proc/$ION/environ'},
    {name: 'see what a file descriptor of ion refers to', script: 'readlink /proc/$ION/fd/0'},
  ],
  'hidden-processes': [{name: 'see ion in /proc', script: '[ -e /proc/$ION ]'}],
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
  identity: [
    {
      name: 'connect to a socket that only root may connect to',
      doctor: true,
      without: 'only root has ids to give up',
      script: `[ "$(id -u)" = 0 ] || exit 77\n${python(
        `s = socket.socket(socket.AF_UNIX); s.bind("root-only"); s.listen(); os.chmod("root-only", 0o600); os.chmod(".", 0o777)
try: os.setgroups([]); os.setgid(65534); os.setuid(65534)
except OSError: sys.exit(77)
socket.socket(socket.AF_UNIX).connect("root-only")`,
      )}`,
    },
    {
      name: "change the mode of root's files",
      doctor: true,
      without: 'only root has ids to give up',
      script: `[ "$(id -u)" = 0 ] || exit 77\n${python(
        `os.mkdir("of-root")
try: os.setgroups([]); os.setgid(65534); os.setuid(65534)
except OSError: sys.exit(77)
os.chmod("of-root", 0o2777)`,
      )}`,
    },
    {
      name: 'keep rights of root that a process gave up in part',
      doctor: true,
      without: 'only root has ids to give up',
      script: `[ "$(id -u)" = 0 ] || exit 77\n${python(
        `import ctypes, struct
libc = ctypes.CDLL(None)
def files():
    libc.setgroups(0, None); libc.setfsgid(65534); libc.setfsuid(65534)
def ids():
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
def groups(): os.setgroups([]); os.setgid(65534); os.setuid(65533)
def capabilities(): libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))
def connect(): socket.socket(socket.AF_UNIX).connect("root-own")
def gets_through(give_up, act):
    pid = os.fork()
    if pid: return os.waitpid(pid, 0)[1] == 0
    try: give_up(); act(); os._exit(0)
    except OSError: os._exit(1)
s = socket.socket(socket.AF_UNIX); s.bind("root-own"); s.listen(); os.chmod("root-own", 0o600); os.chmod(".", 0o777)
through = gets_through(files, connect)
os.chown("root-own", 65534, 65534)
through |= gets_through(capabilities, connect)
os.makedirs("of-root-only", mode=0o700, exist_ok=True); t = socket.socket(socket.AF_UNIX); t.bind("of-root-only/s"); t.listen(); os.chmod("of-root-only/s", 0o777)
through |= gets_through(ids, lambda: socket.socket(socket.AF_UNIX).connect("of-root-only/s"))
os.chown("root-own", 65534, 0); os.chmod("root-own", 0o060)
through |= gets_through(groups, connect)
os.makedirs("to-all", exist_ok=True); os.chmod("to-all", 0o777); os.chmod(".git", 0o1777); open(".git/of-root", "w").close()
through |= gets_through(ids, lambda: os.rename(".git/of-root", "to-all/x"))
sys.exit(not through)`,
      )}`,
    },
  ],
  descriptors: [{name: 'inherit a descriptor', script: '[ -e /proc/self/fd/4 ] || [ -e /proc/self/fd/5 ]'}],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
