/**
 * The enforcement matrix: the mechanism behind each protection. One table; the plan, the sandbox facts, `ion doctor`,
 * the conformance run and the README are all made from it.
 */

export type Enforcement = 'enforced' | 'best effort' | 'not';

/** The features of a machine, found by probing. */
export interface Features {
  /** Landlock ABI; 0 = none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** Mount, network and IPC namespaces: as real root, in a user namespace, or unavailable. */
  readonly namespaces: 'none' | 'root' | 'user';
  /** A seccomp listener, which a supervisor needs. */
  readonly listener: boolean;
  readonly pidfdGetfd: boolean;
  /** The run asked for `report = "minimal"`: the supervisor is not notified of writes. */
  readonly unheardWrites?: true;
  /** The launcher, which starts, supervises and kills a command on Linux. */
  readonly launcher?: true;
  /** macOS's sandbox. */
  readonly seatbelt?: true;
}

export const noFeatures: Features = {
  landlock: 0,
  seccomp: false,
  namespaces: 'none',
  listener: false,
  pidfdGetfd: false,
};

interface Way {
  /** The features that this way needs; a number is the minimum Landlock ABI. */
  readonly needs: {
    readonly landlock?: number;
    readonly seccomp?: true;
    readonly namespaces?: true;
    /** See hasView. */
    readonly view?: true;
    readonly listener?: true;
    /** A listener that is notified of writes. */
    readonly heardWrites?: true;
    readonly noListener?: true;
    readonly pidfdGetfd?: true;
    readonly launcher?: true;
    readonly seatbelt?: true;
  };
  readonly level: Enforcement;
  readonly by: string;
}

export interface Protection {
  readonly id: string;
  /** The promise of this protection, in the words of the sandbox facts. */
  readonly promise: string;
  /** Strongest first: the first way whose needs are met applies. If none is, the protection is missing. */
  readonly ways: readonly Way[];
}

const landlock = (abi: number): Way => ({
  needs: {landlock: abi},
  level: 'enforced',
  by: `Landlock (ABI ${abi})`,
});
const seccomp: Way = {needs: {seccomp: true}, level: 'enforced', by: 'seccomp'};
const mounts: Way = {needs: {namespaces: true}, level: 'enforced', by: 'read-only mounts'};
const noexecMounts: Way = {needs: {namespaces: true}, level: 'enforced', by: 'noexec mounts'};
const view = (by: string): Way => ({needs: {view: true}, level: 'enforced', by});
const onlyRoots = view('mounts (the file system of the run contains only the roots)');
const supervisor: Way = {
  needs: {listener: true},
  level: 'best effort',
  by: 'seccomp supervisor (a racing thread can pass)',
};
/** For calls that change files: not notified with `report = "minimal"`. */
const writeSupervisor: Way = {...supervisor, needs: {listener: true, heardWrites: true}};
const launcher = (by: string): Way => ({needs: {launcher: true}, level: 'enforced', by});
/**
 * For the machine's loopback, which the run shares: only TCP. The supervisor makes each call, and Landlock denies
 * direct calls.
 */
const loopbackSupervisor: Way = {
  needs: {landlock: 4, listener: true, pidfdGetfd: true},
  level: 'enforced',
  by: 'seccomp supervisor on behalf of the run (TCP only, no datagrams), Landlock (ABI 4)',
};
/** For denied commands where no supervisor sees executions. */
export const textOnly = "the command's text only";
const seatbelt: Way = {needs: {seatbelt: true}, level: 'enforced', by: 'seatbelt'};
const seatbeltPartly = (by: string): Way => ({needs: {seatbelt: true}, level: 'best effort', by});
const notOnMacs = (by: string): Way => ({needs: {seatbelt: true}, level: 'enforced', by});

export const protections = [
  {
    id: 'writes',
    promise: 'no file is created, written, renamed or removed outside the write roots',
    ways: [
      {needs: {landlock: 1, namespaces: true}, level: 'enforced', by: 'Landlock (ABI 1), read-only mounts'},
      landlock(1),
      view('mounts (only the roots are there, and only the write roots are writable)'),
      seatbelt,
    ],
  },
  {
    id: 'truncate',
    promise: 'no file outside the write roots is truncated by its path',
    ways: [landlock(3), mounts, seatbelt],
  },
  {
    id: 'mounted-later',
    promise:
      'mounts that another process makes outside the write roots during the run cannot be written, nor their owner, mode, time or attributes changed',
    ways: [
      {...mounts, by: 'private mounts (later mounts do not appear in the run)'},
      {...writeSupervisor, by: 'seccomp supervisor (a racing thread can change modes, owners and times)'},
      seatbelt,
    ],
  },
  {
    id: 'reads',
    promise: 'no file outside the read roots is opened or listed',
    ways: [landlock(1), onlyRoots, seatbelt],
  },
  {
    id: 'exec',
    promise: 'no program outside the read roots is executed',
    ways: [landlock(1), onlyRoots, seatbelt],
  },
  {
    id: 'read-exec',
    promise: 'read mode: no file in the workspace, a temp folder or a write root is executed',
    ways: [
      {needs: {landlock: 1, namespaces: true}, level: 'enforced', by: 'Landlock (ABI 1), noexec mounts'},
      landlock(1),
      noexecMounts,
      seatbelt,
    ],
  },
  {
    id: 'read-mapped',
    promise: 'read mode: no such file is mapped as executable code',
    ways: [
      noexecMounts,
      {
        ...supervisor,
        by: 'seccomp supervisor (refuses the loader and its variables; a program that maps a file by itself passes)',
      },
      seatbelt,
    ],
  },
  {
    id: 'read-programs',
    promise:
      'read mode: only the programs that the command names, and those that they are known to start, are executed, with the variables that ion set',
    ways: [
      {...supervisor, by: 'seccomp supervisor (a static program without a libc can pass a second time)'},
    ],
  },
  {
    id: 'hooks-outside',
    promise: 'a hook with sandbox = false executes no file in the workspace, a temp folder or a write root',
    ways: [
      {needs: {}, level: 'best effort', by: "a check of the hook's text (not of what its programs start)"},
    ],
  },
  {
    id: 'devices',
    promise: 'only harmless devices are opened or controlled',
    ways: [
      landlock(5),
      {...landlock(1), level: 'best effort', by: 'Landlock (ABI 1: opening, not ioctl)'},
      {...view('mounts (opening, because no other device is present; not ioctl)'), level: 'best effort'},
      seatbelt,
    ],
  },
  {
    id: 'metadata',
    promise:
      'no owner, mode, time or attribute is changed outside the write roots, by path or by a descriptor that the run opened',
    ways: [mounts, writeSupervisor, seatbelt],
  },
  {
    id: 'autorun',
    promise:
      'auto-run files that exist (.git/hooks, .ion, .vscode ...) are neither written, replaced nor removed',
    ways: [
      {
        ...mounts,
        needs: {namespaces: true, listener: true, heardWrites: true},
        by: 'read-only mounts (the supervisor protects files that another process replaces during the run)',
      },
      {...mounts, by: 'read-only mounts (not on files that another process replaces during the run)'},
      writeSupervisor,
      seatbelt,
    ],
  },
  {
    id: 'autorun-new',
    promise: 'auto-run files that do not exist are not created',
    ways: [writeSupervisor, seatbelt],
  },
  {
    id: 'autorun-nested',
    promise:
      'hooks and configs of repositories that existed below the workspace are not changed, except for plain settings',
    ways: [writeSupervisor],
  },
  {
    id: 'denied-exec',
    promise:
      'deny_commands and rules that deny a command_prefix apply to every execution, also in scripts and under other names',
    ways: [supervisor, {needs: {}, level: 'not', by: textOnly}],
  },
  {
    id: 'reported',
    promise: 'refused writes, connections and executions are reported with path, program and rule',
    ways: [writeSupervisor, seatbeltPartly('tagged messages in the system log')],
  },
  {
    id: 'metadata-handed',
    promise:
      'the owner, mode, times and attributes of an outside file that was given as an output stream are not changed',
    // The descriptor keeps the mount that it was opened on.
    ways: [writeSupervisor, seatbelt],
  },
  {
    id: 'denied-paths',
    promise:
      'denied_paths and paths that rules deny, if they exist and have no wildcards, cannot be read inside a readable root',
    ways: [
      {
        ...mounts,
        needs: {namespaces: true, listener: true},
        by: 'mounts over them (the supervisor checks files that another process puts in their place during the run)',
      },
      {
        ...mounts,
        by: 'mounts over them (not over files that another process puts in their place during the run)',
      },
      supervisor,
      seatbelt,
    ],
  },
  {
    id: 'denied-paths-new',
    promise:
      'denied_paths that have wildcards, that are created later, or whose rule has exceptions, cannot be read inside a readable root',
    ways: [
      supervisor,
      seatbeltPartly('seatbelt (a moved folder can take files along that a wildcard matched)'),
    ],
  },
  {
    id: 'network',
    promise: 'network = "none": the run reaches no network',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, seccomp, seatbelt],
  },
  {
    id: 'loopback',
    promise:
      'network = "loopback": servers and clients of the run reach each other, and nothing beyond this machine',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace'},
      loopbackSupervisor,
      seatbelt,
    ],
  },
  {
    id: 'loopback-own',
    promise: 'network = "loopback": the run reaches no server of another process on this machine',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, loopbackSupervisor],
  },
  {
    id: 'loopback-unshared',
    promise: 'network = "loopback": no other process on this machine reaches a server of the run',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}],
  },
  {
    id: 'unix-sockets',
    promise: 'the run reaches no unix socket by path except its own',
    ways: [
      landlock(9),
      {
        needs: {listener: true, pidfdGetfd: true},
        level: 'best effort',
        by: 'seccomp supervisor (connects stream sockets on behalf of the run; a datagram can race)',
      },
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (no connections, because there is no pidfd_getfd; a datagram can race)',
      },
      {
        needs: {seccomp: true, noListener: true},
        level: 'best effort',
        by: 'seccomp (the run can create no unix sockets, only pairs)',
      },
      seatbeltPartly(
        'seatbelt (except sockets in the workspace or a private temp folder, or moved there with their folder)',
      ),
    ],
  },
  {
    id: 'abstract-sockets',
    promise: 'the run reaches no abstract unix socket of another process',
    ways: [
      landlock(6),
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace (not with network = "full")'},
      notOnMacs('macOS has none'),
    ],
  },
  {
    id: 'other-sockets',
    promise: 'no packet, vsock, netlink (except route) or other socket family is available',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'ipc',
    promise:
      'the run reaches no System V or POSIX message queue, semaphore or shared memory segment of another process',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'IPC namespace, private /dev/shm'},
      seatbeltPartly('seatbelt (named POSIX semaphores stay reachable)'),
    ],
  },
  {
    id: 'signals',
    promise: 'no signal reaches a process outside the run',
    ways: [
      landlock(6),
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process id that is reused at that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (protects only ion and the launcher)'},
      seatbelt,
    ],
  },
  {
    id: 'scheduling',
    promise: 'the priority, scheduler and CPUs of processes outside the run are not changed',
    ways: [
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process id that is reused at that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (protects only ion and the launcher)'},
    ],
  },
  {
    id: 'processes',
    promise: 'no process outside the run can be traced, nor its memory, environment or descriptors read',
    ways: [landlock(1), view('user namespace'), seatbelt],
  },
  {
    id: 'process-limits',
    promise: 'no limit of another process can be changed',
    ways: [seccomp, notOnMacs('macOS has no such call')],
  },
  {
    id: 'terminals',
    promise: 'no other terminal of the user can be read or written',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'private devpts instance'}],
  },
  {id: 'terminal', promise: 'the run cannot type into the terminal (TIOCSTI, TIOCLINUX)', ways: [seccomp]},
  {
    id: 'set-id',
    promise: 'the run can create no set-user-id file or folder, no set-group-id file and no device node',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'kernel',
    promise:
      'no mounts, namespaces, io_uring, bpf, perf, keyrings, modules, clock changes, reboot or unknown ioctl',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'privileges',
    promise: 'no privilege is gained by executing a file, and root keeps only capabilities for file access',
    ways: [
      launcher('no_new_privs, dropped capabilities'),
      seatbeltPartly('seatbelt (no set-id program starts; root keeps all privileges)'),
    ],
  },
  {
    id: 'descriptors',
    promise: 'only standard input, output and error are inherited',
    ways: [
      launcher('launcher'),
      seatbeltPartly('Node (closes its own descriptors, not those that ion inherited)'),
    ],
  },
  {
    id: 'private-temp',
    promise: 'other runs cannot read or write a private temp folder',
    ways: [landlock(1), seatbelt],
  },
  {
    id: 'etc',
    promise: 'files below /etc are read only if every user may read them, also when ion runs as root',
    ways: [landlock(1)],
  },
  {
    id: 'names',
    promise:
      'the names, sizes and attributes of files that cannot be opened stay hidden (getxattr, listxattr, stat, inotify, statmount)',
    // A view (hasView) hides more of them, but no claim relies on that.
    ways: [],
  },
  {
    id: 'streams',
    promise: 'a stream given for reading cannot be written, also when it is opened again',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'best effort',
        by: 'a sealed copy for a removed file (a here-document), the seccomp supervisor for a pipe (a racing thread can pass)',
      },
    ],
  },
  {
    id: 'streams-written',
    promise: 'a pipe given for writing cannot be read, also when it is opened again',
    ways: [launcher('a separate pipe for the run, which the launcher forwards')],
  },
  {
    id: 'streams-appended',
    promise: 'an outside file given for appending is neither truncated nor written before its end',
    ways: [
      {
        needs: {landlock: 1, listener: true, pidfdGetfd: true},
        level: 'enforced',
        by: 'seccomp, seccomp supervisor (open, ftruncate and flags on behalf of the run), Landlock (ABI 1)',
      },
      {...supervisor, needs: {landlock: 1, listener: true}},
      {...supervisor, needs: {view: true, listener: true}},
    ],
  },
  {
    id: 'streams-sockets',
    promise: 'a given socket is not connected to, nor sends to, another address',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'enforced',
        by: 'launcher (internet sockets: connections and listeners only), seccomp supervisor on behalf of the run',
      },
      launcher('launcher (no internet sockets)'),
    ],
  },
  {
    id: 'identity',
    promise: 'ion acts on behalf of a process with the ids, groups and capabilities of that process',
    ways: [launcher('launcher')],
  },
  {
    id: 'tree',
    promise: 'no process outlives the run',
    ways: [
      launcher('launcher (subreaper)'),
      {needs: {}, level: 'best effort', by: 'process group and parent chain'},
    ],
  },
] as const satisfies readonly Protection[];

export type ProtectionId = (typeof protections)[number]['id'];

export interface Enforced {
  readonly id: ProtectionId;
  readonly promise: string;
  readonly level: Enforcement;
  readonly by: string;
}

/** Without Landlock, but with mount namespaces, a run has its own file system that contains only the roots. */
export function hasView({landlock, namespaces}: Features): boolean {
  return landlock === 0 && namespaces !== 'none';
}

/** The features of a run on a machine, given how much the run asks to be reported. */
export function featuresOfRun(features: Features, report: 'minimal' | 'denials' | 'all'): Features {
  return report === 'minimal' ? {...features, unheardWrites: true} : features;
}

/** The protections that hold on a machine with these features. Pure. */
export function enforcedBy(features: Features): Enforced[] {
  return protections.map((protection: Protection) => {
    const way = protection.ways.find(({needs}) => isMet(needs, features));
    return {
      id: protection.id as ProtectionId,
      promise: protection.promise,
      level: way?.level ?? 'not',
      by: way?.by ?? '',
    };
  });
}

function isMet(needs: Way['needs'], features: Features): boolean {
  return (
    features.landlock >= (needs.landlock ?? 0) &&
    (!needs.seccomp || features.seccomp) &&
    (!needs.namespaces || features.namespaces !== 'none') &&
    (!needs.view || hasView(features)) &&
    (!needs.listener || features.listener) &&
    (!needs.heardWrites || !features.unheardWrites) &&
    (!needs.noListener || !features.listener) &&
    (!needs.pidfdGetfd || features.pidfdGetfd) &&
    (!needs.launcher || features.launcher === true) &&
    (!needs.seatbelt || features.seatbelt === true)
  );
}
