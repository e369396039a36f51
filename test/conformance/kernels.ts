import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';

/** Kernels and containers that lack a feature, described by what is removed from this kernel; and settings that weaken. */
export interface Kernel {
  readonly id: string;
  readonly about: string;
  /** Rules for deny-syscalls, by the names below. */
  readonly deny: readonly string[];
  /** The Landlock ABI that older-landlock reports. */
  readonly landlockAbi?: number;
  /** The capabilities that root keeps, as in a container. */
  readonly capabilities?: string;
  /** The user's config in this column. */
  readonly config?: string;
  /** The protections that this config gives up. The facts of a run leave them out. */
  readonly givesUp?: readonly ProtectionId[];
  /** Runs as both users, or as only one of them. */
  readonly as: readonly ('root' | 'user')[];
}

const errno = {EPERM: 1, EBUSY: 16, EINVAL: 22, ENOSYS: 38, EOPNOTSUPP: 95} as const;
type Errno = keyof typeof errno;

/** System call numbers of x86-64 and arm64. Newer calls have the same number everywhere. */
const numbers: Readonly<Record<string, readonly [number, number]>> = {
  clone: [56, 220],
  ptrace: [101, 117],
  unshare: [272, 97],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  seccomp: [317, 277],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  init_module: [175, 105],
  delete_module: [176, 106],
  finit_module: [313, 273],
  quotactl: [179, 60],
  acct: [163, 89],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  move_pages: [279, 239],
  perf_event_open: [298, 241],
  open_by_handle_at: [304, 265],
  kcmp: [312, 272],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  kexec_load: [246, 104],
  syslog: [103, 116],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  clone3: [435, 435],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
};

function deny(error: Errno, ...names: readonly string[]): string[] {
  return names.map((name) => {
    const number = numbers[name]?.[process.arch === 'arm64' ? 1 : 0];
    if (number === undefined) throw new Error(`no number for ${name}`);
    return `${number}:${errno[error]}`;
  });
}

/** CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET */
const newNamespaces = 0x7e020000;
const newListener = 1 << 3;
const waitKillable = 1 << 5;
const when = (rules: readonly string[], argument: number, mask: number): string[] =>
  rules.map((rule) => `${rule}:${argument}:any:${mask}`);

const landlockCalls = ['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'];
export const noNamespaces = [
  ...when(deny('EPERM', 'clone', 'unshare'), 0, newNamespaces),
  ...deny('ENOSYS', 'clone3'),
  ...deny('EPERM', 'setns'),
];
export const noLandlock = deny('ENOSYS', ...landlockCalls);
export const noListener = when(deny('EBUSY', 'seccomp'), 1, newListener);

/** The calls that Docker's default profile refuses without added capabilities, as its documentation lists them. */
const docker = [
  ...noNamespaces,
  ...deny(
    'EPERM',
    'mount',
    'umount2',
    'pivot_root',
    'open_tree',
    'move_mount',
    'fsopen',
    'fsconfig',
    'fsmount',
    'fspick',
  ),
  ...deny(
    'EPERM',
    'mount_setattr',
    'swapon',
    'swapoff',
    'reboot',
    'sethostname',
    'setdomainname',
    'acct',
    'quotactl',
  ),
  ...deny(
    'EPERM',
    'init_module',
    'delete_module',
    'finit_module',
    'kexec_load',
    'settimeofday',
    'clock_settime',
  ),
  ...deny(
    'EPERM',
    'add_key',
    'request_key',
    'keyctl',
    'bpf',
    'perf_event_open',
    'userfaultfd',
    'open_by_handle_at',
  ),
  ...deny(
    'EPERM',
    'mbind',
    'set_mempolicy',
    'get_mempolicy',
    'move_pages',
    'kcmp',
    'syslog',
    'pidfd_getfd',
    'process_madvise',
  ),
  ...deny('EPERM', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'),
];
/** CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD, AUDIT_WRITE, SETFCAP */
const dockerCapabilities = '00000000a80425fb';

export const kernels: readonly Kernel[] = [
  {id: 'as it is', about: 'this kernel', deny: [], as: ['root', 'user']},
  {
    id: 'no namespaces',
    about: 'unshare and clone with namespace flags: EPERM (Ubuntu 24.04, hardened kernels)',
    deny: noNamespaces,
    as: ['root', 'user'],
  },
  {
    id: 'docker',
    about: "Docker's default profile and capabilities",
    deny: docker,
    capabilities: dockerCapabilities,
    as: ['root', 'user'],
  },
  {
    id: 'no Landlock',
    about: 'landlock_*: ENOSYS',
    deny: noLandlock,
    as: ['root', 'user'],
  },
  {
    id: 'Landlock off',
    about: 'landlock_*: EOPNOTSUPP',
    deny: deny('EOPNOTSUPP', ...landlockCalls),
    as: ['user'],
  },
  {
    id: 'before 5.12',
    about: 'Linux 5.10: no Landlock, mount_setattr (ENOSYS) and killable wait',
    deny: [
      ...noLandlock,
      ...deny('ENOSYS', 'mount_setattr'),
      ...when(deny('EINVAL', 'seccomp'), 1, waitKillable),
    ],
    as: ['root', 'user'],
  },
  {id: 'ABI 1', about: 'Linux 5.13', deny: [], landlockAbi: 1, as: ['user']},
  {id: 'ABI 2', about: 'Linux 5.19', deny: [], landlockAbi: 2, as: ['user']},
  {id: 'ABI 3', about: 'Linux 6.2', deny: [], landlockAbi: 3, as: ['user']},
  {id: 'ABI 4', about: 'Linux 6.7', deny: [], landlockAbi: 4, as: ['user']},
  {id: 'ABI 5', about: 'Linux 6.10', deny: [], landlockAbi: 5, as: ['user']},
  {
    id: 'no listener',
    about: 'SECCOMP_FILTER_FLAG_NEW_LISTENER: EBUSY (ion inside ion)',
    deny: noListener,
    as: ['root', 'user'],
  },
  {
    id: 'no killable wait',
    about: 'SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: EINVAL (before Linux 5.19)',
    deny: when(deny('EINVAL', 'seccomp'), 1, waitKillable),
    as: ['user'],
  },
  {id: 'no pidfd_getfd', about: 'pidfd_getfd: EPERM', deny: deny('EPERM', 'pidfd_getfd'), as: ['user']},
  {
    id: 'no ptrace',
    about: 'ptrace, process_vm_readv, process_vm_writev: EPERM (Yama 3)',
    deny: deny('EPERM', 'ptrace', 'process_vm_readv', 'process_vm_writev'),
    as: ['user'],
  },
  {
    id: 'shared processes',
    about: 'processes = "shared": no PID namespace',
    deny: [],
    config: '[sandbox]\nprocesses = "shared"\n',
    givesUp: ['hidden-processes'],
    as: ['root', 'user'],
  },
  {
    id: 'bare',
    about: 'no Landlock, namespaces, listener, ptrace and pidfd_getfd',
    deny: [
      ...noLandlock,
      ...noNamespaces,
      ...noListener,
      ...deny('EPERM', 'ptrace', 'process_vm_readv', 'pidfd_getfd'),
    ],
    as: ['root', 'user'],
  },
];
