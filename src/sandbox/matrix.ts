/**
 * The enforcement matrix: what each protection rests on. One table; the plan, the sandbox facts, `ion doctor`, the
 * conformance run and the README are all made from it.
 */

export type Enforcement = 'enforced' | 'best effort' | 'not';

/** What a machine grants, found by trying it. */
export interface Features {
  /** Landlock ABI; 0 = none. */
  readonly landlock: number;
  readonly seccomp: boolean;
  /** Mount, network and IPC namespaces: as real root, in a user namespace, or not at all. */
  readonly namespaces: 'none' | 'root' | 'user';
  /** A seccomp listener, so a supervisor. */
  readonly listener: boolean;
  readonly pidfdGetfd: boolean;
  /** The run asked for `report = "minimal"`: the supervisor does not hear of writes. */
  readonly unheardWrites?: true;
  /** The launcher, which starts, supervises and ends a command on Linux. */
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
  /** Features that this way needs; a number is the least Landlock ABI. */
  readonly needs: {
    readonly landlock?: number;
    readonly seccomp?: true;
    readonly namespaces?: true;
    /** See hasView. */
    readonly view?: true;
    readonly listener?: true;
    /** A listener that hears of writes. */
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
  /** What is promised, as a reader of the facts would say it. */
  readonly promise: string;
  /** Strongest first: the first way whose needs are met holds. Where none is, the protection is not there. */
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
const onlyRoots = view('mounts (nothing but the roots is in the file system of the run)');
const supervisor: Way = {
  needs: {listener: true},
  level: 'best effort',
  by: 'seccomp supervisor (a racing thread can pass)',
};
/** Of calls that change files: not asked about with `report = "minimal"`. */
const writeSupervisor: Way = {...supervisor, needs: {listener: true, heardWrites: true}};
const launcher = (by: string): Way => ({needs: {launcher: true}, level: 'enforced', by});
/** Of the machine's loopback, which the run shares: TCP alone, each call made by the supervisor, with Landlock behind it. */
const loopbackSupervisor: Way = {
  needs: {landlock: 4, listener: true, pidfdGetfd: true},
  level: 'enforced',
  by: 'seccomp supervisor, on behalf (TCP only: no datagrams), Landlock (ABI 4)',
};
/** Of what denies commands, where nothing looks at executions. */
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
    promise: 'read mode: no file of the workspace, of temp folders and of write roots is executed',
    ways: [
      {needs: {landlock: 1, namespaces: true}, level: 'enforced', by: 'Landlock (ABI 1), noexec mounts'},
      landlock(1),
      noexecMounts,
      seatbelt,
    ],
  },
  {
    id: 'read-mapped',
    promise: 'read mode: no such file is mapped as code of a program',
    ways: [
      noexecMounts,
      {
        ...supervisor,
        by: 'seccomp supervisor (the loader and its variables are refused; a program that maps a file by itself passes)',
      },
      seatbelt,
    ],
  },
  {
    id: 'read-programs',
    promise:
      'read mode: only programs that the command names, and what these are known to start, are executed, with the variables that ion gave',
    ways: [
      {...supervisor, by: 'seccomp supervisor (a static program without a libc can pass a second time)'},
    ],
  },
  {
    id: 'devices',
    promise: 'no device but the harmless ones is opened or controlled',
    ways: [
      landlock(5),
      {...landlock(1), level: 'best effort', by: 'Landlock (ABI 1: opening; not ioctl)'},
      {...view('mounts (opening: no other is there; not ioctl)'), level: 'best effort'},
      seatbelt,
    ],
  },
  {
    id: 'metadata',
    promise:
      'no owner, mode, time or attribute is changed outside the write roots, by path or an own descriptor',
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
        by: 'read-only mounts (what another process replaces meanwhile: the supervisor)',
      },
      {...mounts, by: 'read-only mounts (not on what another process replaces meanwhile)'},
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
      'hooks and configs of repositories below the workspace that were there before are not changed, but for plain settings',
    ways: [writeSupervisor],
  },
  {
    id: 'denied-exec',
    promise:
      'deny_commands and rules that deny a command_prefix hold for what is really executed, in scripts and under other names too',
    ways: [supervisor, {needs: {}, level: 'not', by: textOnly}],
  },
  {
    id: 'told',
    promise: 'refused writes, connections and executions are told, with path, program and rule',
    ways: [writeSupervisor, seatbeltPartly('tagged messages in the system log')],
  },
  {
    id: 'metadata-handed',
    promise:
      'no owner, mode, time or attribute is changed of a file outside that was handed over as a stream for writing',
    // The descriptor keeps the mount that it was opened on.
    ways: [writeSupervisor, seatbelt],
  },
  {
    id: 'denied-paths',
    promise:
      'denied_paths and paths that rules deny, where they exist and have no wildcards, cannot be read inside a readable root',
    ways: [
      {
        ...mounts,
        needs: {namespaces: true, listener: true},
        by: 'mounts over them (what another process puts in their place meanwhile: the supervisor)',
      },
      {...mounts, by: 'mounts over them (not over what another process puts in their place meanwhile)'},
      supervisor,
      seatbelt,
    ],
  },
  {
    id: 'denied-paths-new',
    promise:
      "denied_paths with wildcards, those that are made later, and a rule's path with exceptions in it, cannot be read inside a readable root",
    ways: [
      supervisor,
      seatbeltPartly('seatbelt (a folder that is moved can take along what a wildcard means)'),
    ],
  },
  {
    id: 'network',
    promise: 'network = "none": nothing reaches a network',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, seccomp, seatbelt],
  },
  {
    id: 'loopback',
    promise:
      'network = "loopback": servers and clients of the run reach each other, nothing beyond this machine',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace'},
      loopbackSupervisor,
      seatbelt,
    ],
  },
  {
    id: 'loopback-own',
    promise: 'network = "loopback": no server of a process outside on this machine',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}, loopbackSupervisor],
  },
  {
    id: 'loopback-unshared',
    promise: 'network = "loopback": no process outside on this machine reaches a server of the run',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'network namespace'}],
  },
  {
    id: 'unix-sockets',
    promise: 'no unix socket by path but those of the run itself',
    ways: [
      landlock(9),
      {
        needs: {listener: true, pidfdGetfd: true},
        level: 'best effort',
        by: 'seccomp supervisor (stream sockets connected on behalf; a datagram can race)',
      },
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (no connection at all without pidfd_getfd; a datagram can race)',
      },
      {
        needs: {seccomp: true, noListener: true},
        level: 'best effort',
        by: 'seccomp (no unix socket can be made, only pairs)',
      },
      seatbeltPartly(
        'seatbelt (but any in the workspace or a private temp folder, or moved there with its folder)',
      ),
    ],
  },
  {
    id: 'abstract-sockets',
    promise: 'no abstract unix socket of a process outside',
    ways: [
      landlock(6),
      {needs: {namespaces: true}, level: 'enforced', by: 'network namespace (not with network = "full")'},
      notOnMacs('macOS has none'),
    ],
  },
  {
    id: 'other-sockets',
    promise: 'no packet, vsock, netlink (but route) or other socket family',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'ipc',
    promise: 'no System V or POSIX message queue, semaphore or shared memory segment of a process outside',
    ways: [
      {needs: {namespaces: true}, level: 'enforced', by: 'IPC namespace, own /dev/shm'},
      seatbeltPartly('seatbelt (POSIX semaphores by name are open)'),
    ],
  },
  {
    id: 'signals',
    promise: 'no signal reaches a process outside',
    ways: [
      landlock(6),
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process number that is given away in that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (only ion and the launcher are safe)'},
      seatbelt,
    ],
  },
  {
    id: 'scheduling',
    promise: 'no priority, scheduler or processor of a process outside is changed',
    ways: [
      {
        needs: {listener: true},
        level: 'best effort',
        by: 'seccomp supervisor (a process number that is given away in that moment can pass)',
      },
      {needs: {seccomp: true}, level: 'best effort', by: 'seccomp (only ion and the launcher are safe)'},
    ],
  },
  {
    id: 'processes',
    promise: 'no process outside can be traced, nor its memory, environment or descriptors read',
    ways: [landlock(1), view('user namespace'), seatbelt],
  },
  {
    id: 'process-limits',
    promise: 'no limit of another process can be changed',
    ways: [seccomp, notOnMacs('macOS has no call for it')],
  },
  {
    id: 'terminals',
    promise: 'no other terminal of the user can be read or written',
    ways: [{needs: {namespaces: true}, level: 'enforced', by: 'own devpts instance'}],
  },
  {id: 'terminal', promise: 'nothing can be typed into the terminal (TIOCSTI, TIOCLINUX)', ways: [seccomp]},
  {
    id: 'set-id',
    promise: 'no set-user-id file or folder, no set-group-id file and no device node can be made',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'kernel',
    promise: 'no mounts, namespaces, io_uring, bpf, perf, keyrings, modules, clock, reboot or unknown ioctl',
    ways: [seccomp, seatbelt],
  },
  {
    id: 'privileges',
    promise: 'no privilege is gained by executing, and root keeps only what files need',
    ways: [
      launcher('no_new_privs, dropped capabilities'),
      seatbeltPartly('seatbelt (no set-id program starts; root stays root)'),
    ],
  },
  {
    id: 'descriptors',
    promise: 'no descriptor but standard input, output and error is inherited',
    ways: [launcher('launcher'), seatbeltPartly('Node (closes its own; not those that ion was given)')],
  },
  {
    id: 'private-temp',
    promise: 'a private temp folder is closed to other runs',
    ways: [landlock(1), seatbelt],
  },
  {
    id: 'etc',
    promise:
      'nothing below /etc is read that others than its owner and group may not read outside, by root either',
    ways: [landlock(1)],
  },
  {
    id: 'names',
    promise:
      'what cannot be opened gives nothing else away: attributes, sizes and names of closed files (getxattr, stat, inotify, statmount)',
    ways: [],
  },
  {
    id: 'streams',
    promise: 'a stream that was given for reading is not written, also when it is opened again',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'best effort',
        by: 'a sealed copy of a removed file (a here-document); of a pipe the seccomp supervisor (a racing thread can pass)',
      },
    ],
  },
  {
    id: 'streams-written',
    promise: 'a pipe that was given for writing is not read, also when it is opened again',
    ways: [launcher('a pipe of its own for the run, carried on by the launcher')],
  },
  {
    id: 'streams-appended',
    promise: 'a file outside that was given for appending is neither cut nor written before its end',
    ways: [
      {
        needs: {landlock: 1, listener: true, pidfdGetfd: true},
        level: 'enforced',
        by: 'seccomp, seccomp supervisor (opens, ftruncate and flags on behalf), Landlock (ABI 1)',
      },
      {...supervisor, needs: {landlock: 1, listener: true}},
    ],
  },
  {
    id: 'streams-sockets',
    promise: 'a socket that was given is neither connected nor addressed elsewhere',
    ways: [
      {
        needs: {launcher: true, listener: true},
        level: 'enforced',
        by: 'launcher (of the internet: connections and listeners only), seccomp supervisor, on behalf',
      },
      launcher('launcher (none of the internet)'),
    ],
  },
  {
    id: 'identity',
    promise: 'what ion does for a process it does with the ids, groups and capabilities of that process',
    ways: [launcher('launcher')],
  },
  {
    id: 'tree',
    promise: 'no process outlives the run',
    ways: [
      launcher('launcher (subreaper)'),
      {needs: {}, level: 'best effort', by: 'process group and parents'},
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

/** Without Landlock, but with mount namespaces, a run has a file system of its own that holds the roots alone. */
export function hasView({landlock, namespaces}: Features): boolean {
  return landlock === 0 && namespaces !== 'none';
}

/** What a run of a machine has, when it asks for as much to be reported. */
export function featuresOfRun(features: Features, report: 'minimal' | 'denials' | 'all'): Features {
  return report === 'minimal' ? {...features, unheardWrites: true} : features;
}

/** What holds on a machine with these features. Pure. */
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
