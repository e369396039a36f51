import type {ProtectionId} from './matrix.ts';

/**
 * The promise of each protection, in the words of `ion doctor` and the documents. The texts are not in the rows, because a run
 * records only ids.
 */
export const promises: Readonly<Record<ProtectionId, string>> = {
  writes: 'no file is created, written, renamed or removed outside the write roots',
  truncate: 'no file outside the write roots is truncated by its path',
  'mounted-later':
    'mounts that another process makes outside the write roots during the run cannot be written, nor their owner, mode, time or attributes changed',
  reads: 'no file outside the read roots is opened or listed',
  exec: 'no program outside the read roots is executed',
  'read-exec': 'read mode: no file in the workspace, a temp folder or a write root is executed',
  'read-mapped': 'read mode: no such file is mapped as executable code',
  'read-programs':
    'read mode: only the programs that the command names, and those that they are known to start, are executed, with the variables that ion set',
  'hooks-outside':
    'a hook with sandbox = false executes no file in the workspace, a temp folder or a write root',
  devices: 'only harmless devices are opened or controlled',
  metadata:
    'no owner, mode, time or attribute is changed outside the write roots, by path or by a descriptor that the run opened',
  autorun:
    'auto-run files that exist (.git/hooks, .ion, .vscode ...) are neither written, replaced nor removed',
  'git-config': 'settings in .git/config that make git run programs are as before when the run is over',
  'autorun-new':
    'auto-run files that do not exist are not created, and what is created all the same is quarantined after the run',
  'autorun-nested':
    'hooks and configs of repositories that existed below the workspace are not changed, except for plain settings; those that the run makes or brings there are reported',
  'denied-exec':
    'deny_commands and rules that deny a command_prefix apply to every execution, also in scripts and under other names',
  reported:
    'refused writes, connections and executions are reported with path, program and rule, and what a command chose of it is escaped',
  'metadata-handed':
    'the owner, mode, times and attributes of an outside file that was given as an output stream are not changed',
  'denied-paths':
    'denied_paths and paths that rules deny, if they exist and have no wildcards, cannot be read inside a readable root, nor their owner, mode, time or attributes changed',
  'denied-paths-new':
    'denied_paths that have wildcards, that are created later, or whose rule has exceptions, cannot be read inside a readable root, nor their owner, mode, time or attributes changed; the run does not make what an entry without wildcards names',
  network: 'network = "none": the run reaches no network',
  loopback:
    'network = "loopback": servers and clients of the run reach each other, and nothing beyond this machine',
  'loopback-own': 'network = "loopback": the run reaches no server of another process on this machine',
  'loopback-unshared': 'network = "loopback": no other process on this machine reaches a server of the run',
  'network-names':
    'a network table: the run reaches only the names, addresses and ports that it allows, and no other name is looked up',
  'network-server-names':
    'a network table: a connection to an allowed address is for a name that led to it (TLS server name, Host of HTTP), except for tcp:// entries',
  'network-local':
    'a network table: no name leads to an address of a local network or of this machine, except for private entries',
  'unix-sockets': 'the run reaches no unix socket by path except its own',
  'abstract-sockets': 'the run reaches no abstract unix socket of another process',
  'other-sockets': 'no packet, vsock, netlink (except route) or other socket family is available',
  ipc: 'the run reaches no System V or POSIX message queue, semaphore or shared memory segment of another process',
  signals: 'no signal reaches a process outside the run',
  scheduling: 'the priority, scheduler and CPUs of processes outside the run are not changed',
  processes: 'no process outside the run can be traced, nor its memory, environment or descriptors read',
  'process-limits': 'no limit of a process outside the run can be changed',
  terminals: 'no other terminal of the user can be read or written',
  terminal: 'the run cannot type into the terminal (TIOCSTI, TIOCLINUX)',
  'set-id': 'the run can create no set-user-id file or folder, no set-group-id file and no device node',
  kernel:
    'no mounts, namespaces, io_uring, bpf, perf, keyrings, modules, clock changes, reboot or unknown ioctl',
  privileges: 'no privilege is gained by executing a file, and root keeps only capabilities for file access',
  descriptors: 'only standard input, output and error are inherited',
  'private-temp': 'other runs cannot read or write a private temp folder',
  etc: 'files below /etc that not every user may read when the run starts are not read, also when ion runs as root',
  'etc-later':
    'a run as root does not read files below /etc either that another process makes or closes during the run, unless every user may read them',
  'hidden-processes': 'processes outside the run are not visible in /proc, and have no number inside',
  names:
    'the names, sizes and attributes of files that cannot be opened stay hidden (getxattr, listxattr, stat, inotify, statmount)',
  streams: 'a stream given for reading cannot be written, also when it is opened again',
  'streams-written': 'a pipe given for writing cannot be read, also when it is opened again',
  'streams-appended': 'an outside file given for appending is neither truncated nor written before its end',
  'streams-sockets': 'a given socket is not connected to, nor sends to, another address',
  identity: 'ion acts on behalf of a process with the ids, groups and capabilities of that process',
  tree: 'no process outlives the run',
};

export function promiseOf(id: ProtectionId): string {
  return promises[id];
}
