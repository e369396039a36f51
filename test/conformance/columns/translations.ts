import type {Action} from '../../sbpl/actions.ts';
import {rows} from '../table.ts';

/**
 * The actions of a row's script, as a program on a Mac would do them. The attack succeeds when all of these actions are allowed.
 */
export type Translation = readonly Action[] | {readonly notHere: string};

export const home = '/Users/u';
export const work = `${home}/work`;
export const temp = '/private/tmp';
const outside = `${home}/outside`;
const f = `${work}/f`;

const byTarget = {notHere: 'the profile knows a path only as it was when the run started'};
const noProc = {notHere: 'macOS has no /proc'};
const linuxOnly = {notHere: 'a call of Linux'};
const notByProfile = {notHere: 'not a matter of the profile: what is open stays open'};
const noScheduling = {notHere: 'the profile language has no operation for it'};
const noTable = {notHere: 'macOS refuses a network table before the run (125)'};
const relayed: readonly string[] = ['network-names', 'network-server-names', 'network-local'];
const near = {ip: '127.0.0.1', port: 4711};

const write = (path: string): Action => ({do: 'write', path});
const create = (path: string): Action => ({do: 'create', path});
const read = (path: string): Action => ({do: 'read', path});
const move = (path: string, to: string, replaces = false): Action => ({do: 'rename', path, to, replaces});
const others: Action = {do: 'signal', target: 'others'};

const program = `${work}/program`;
const copy = `${temp}/ion-1/copy`;
const noList = {notHere: 'the profile has no list of programs'};

/** Keys: protection and name, as in table.ts. A row without a translation fails the test. */
export const translations: Readonly<Record<string, Translation>> = {
  'read-exec: an option that takes a program': [{do: 'exec', path: program}],
  'read-exec: an assignment by printf %n': [{do: 'exec', path: `${work}/1/ls`}],
  'read-exec: an assignment of a descriptor': [{do: 'exec', path: `${work}/10/ls`}],
  'read-exec: quotes in quotes': [{do: 'exec', path: program}],
  'read-exec: a line that is continued': [{do: 'exec', path: program}],
  'read-exec: the words after --help': [{do: 'exec', path: program}],
  'read-exec: drivers of other repositories': [{do: 'exec', path: program}],
  'writes: an option that takes a file to write': [create(`${work}/out`)],
  'writes: write the workspace in read mode': [create(`${work}/new`)],
  'writes: write the shared temp folder in read mode': [create(`${temp}/x`)],
  'network: reach a server in read mode, though the config opens the network': [{do: 'connect', ...near}],
  'read-exec: execute a file of the workspace': [{do: 'exec', path: program}],
  'read-exec: execute it by a variable': [{do: 'exec', path: program}],
  'read-exec: execute a copy in the temp folder': [create(copy), {do: 'exec', path: copy}],
  'read-exec: execute a hard link in the temp folder': [
    {do: 'link', path: program, to: copy},
    {do: 'exec', path: copy},
  ],
  'read-exec: execute it by a descriptor': noProc,
  'read-exec: have find execute it': [{do: 'exec', path: program}],
  'read-exec: have env execute it': [{do: 'exec', path: program}],
  'read-exec: execute a copy without a name': linuxOnly,
  'read-exec: execute an unnamed file of the temp folder': linuxOnly,
  'read-exec: execute shared memory': linuxOnly,
  'read-mapped: map a file of the workspace as code': [{do: 'map', path: program}],
  'read-mapped: make what is mapped executable': [{do: 'map', path: program}],
  'read-mapped: execute a copy by the dynamic loader': [create(copy), {do: 'map', path: copy}],
  'read-programs: execute a program that the command does not name': noList,
  'read-programs: execute one by a word that is read': noList,
  'read-programs: execute an unnamed program by a named one': noList,
  'read-programs: take a variable of git away': noList,
  'read-programs: set or unset a variable that read mode holds': noList,
  'read-programs: have the loader load a library': noList,
  'read-programs: give git a setting by a variable': noList,
  'writes: create a file next to the workspace': [create(`${home}/created`)],
  'writes: append to an outside file': [write(outside)],
  'writes: write through a symlink': [{do: 'symlink', path: `${work}/link`}, write(outside)],
  'writes: move a file out of the workspace': [create(f), move(f, `${home}/moved`)],
  'writes: hard-link an outside file into the workspace': [{do: 'link', path: outside, to: `${work}/linked`}],
  'writes: remove an outside file': [{do: 'remove', path: outside}],
  'writes: create an outside folder': [{do: 'mkdir', path: `${home}/folder`}],
  'writes: append through the root of a process outside': noProc,
  "writes: append through the launcher's root": noProc,
  'writes: append through /proc/self/root': noProc,
  'writes: reopen standard input for writing': noProc,
  'writes: reopen standard input for writing by /dev/stdin': {
    notHere: 'opening /dev/fd/0 on macOS gives the descriptor again, with the access that it has',
  },
  'writes: rename over a file outside': [create(f), move(f, outside, true)],
  'writes: swap two files by renameat2': [create(f), move(f, outside, true), move(outside, f, true)],
  'writes: rename the workspace itself': [move(work, `${home}/gone`)],
  'writes: link an unnamed file outside': [create(f), {do: 'link', path: f, to: `${home}/linked`}],
  'writes: a folder swapped for a symlink': [
    {do: 'mkdir', path: `${work}/d`},
    move(`${work}/d`, `${work}/e`),
    {do: 'symlink', path: `${work}/d`},
    create(`${home}/created`),
  ],
  'writes: remove an empty folder outside': [{do: 'remove', path: `${home}/empty`}],
  'writes: a FIFO and a socket outside': [create(`${home}/fifo`)],
  'writes: a shell start-up file': [write(`${home}/.bashrc`)],
  'writes: below /usr': [
    create('/usr/local/ion-conformance'),
    {do: 'remove', path: '/usr/local/ion-conformance'},
  ],
  'writes: below /etc': [
    create('/private/etc/ion-conformance'),
    {do: 'remove', path: '/private/etc/ion-conformance'},
  ],
  'writes: a kernel setting': [{do: 'set-sysctl', name: 'kern.corefile'}],
  'writes: the oom score of a process outside': noProc,

  'truncate: truncate an outside file': [{do: 'truncate', path: outside}],
  'truncate: open with O_TRUNC': [{do: 'truncate', path: outside}],
  'truncate: truncate(2)': [{do: 'truncate', path: outside}],

  'metadata: change the mode of an outside file': [{do: 'chmod', path: outside}],
  'metadata: change the time of an outside file': [{do: 'utimes', path: outside}],
  'metadata: chmod a file outside': [{do: 'chmod', path: outside}],
  'metadata: chmod the parent folder': [{do: 'chmod', path: home}],
  'metadata: fchmodat2 through a symlink': [
    {do: 'symlink', path: `${work}/l`},
    {do: 'chmod', path: outside},
  ],
  'metadata: chmod by /proc/self/fd': noProc,
  'metadata: fchmod standard input': [{do: 'chmod', path: outside}],
  'metadata: set a time of standard input': [{do: 'utimes', path: outside}],
  'metadata: fchmod of an open file': [{do: 'chmod', path: outside}],
  'metadata: fchmodat2 of an open file': linuxOnly,
  'metadata: chmod of an open file by a link to it': noProc,
  'metadata: futimens of an open file': [{do: 'utimes', path: outside}],
  'metadata: fsetxattr of an open file': [{do: 'setxattr', path: outside}],
  'metadata: setxattrat of an open file': linuxOnly,
  'metadata: flags of an open file': linuxOnly,
  'metadata: chown an open file': [{do: 'chown', path: outside}],
  'metadata: the mode of /dev/null': [{do: 'chmod', path: '/dev/null'}],
  'metadata: the mode of /dev/null, by standard input': [{do: 'chmod', path: '/dev/null'}],
  'metadata: chown a file outside': [{do: 'chown', path: outside}],
  'metadata: set a time': [{do: 'utimes', path: outside}],
  'metadata: set an extended attribute': [{do: 'setxattr', path: outside}],
  'metadata-handed: change the mode of standard input': [{do: 'chmod', path: outside}],
  'metadata-handed: set a time of standard input': [{do: 'utimes', path: outside}],
  'metadata-handed: change its mode by a link to it': noProc,

  'reads: read an outside file': [read(outside)],
  'reads: list the parent folder of the workspace': [{do: 'list', path: home}],
  'reads: read through /proc/self/cwd': noProc,
  'reads: through /proc/self/root': noProc,
  'reads: through the root of a process outside': noProc,
  'reads: through a symlink': [{do: 'symlink', path: `${work}/l`}, read(outside)],
  'reads: through a hard link': [{do: 'link', path: outside, to: `${work}/h`}, read(`${work}/h`)],
  'reads: a secret in home': [read(`${home}/.ssh/id_rsa`)],
  'reads: /etc/shadow': [read('/private/etc/master.passwd')],
  // An open by file id is checked by the real path of the file too.
  'reads: open_by_handle_at': [read(outside)],

  'exec: execute an outside file': [{do: 'exec', path: outside}],
  'exec: through a symlink': [
    {do: 'symlink', path: `${work}/l`},
    {do: 'exec', path: outside},
  ],
  'exec: as an argument of sh': [{do: 'exec', path: '/bin/sh'}, read(outside)],
  'exec: by a descriptor of its folder': linuxOnly,

  'devices: the disk': [read('/dev/disk0')],
  'devices: the kernel log device': [read('/dev/klog')],
  'devices: the memory device': [read('/dev/mem')],

  'autorun: write a hook': [write(`${work}/.git/hooks/pre-commit`)],
  'autorun: remove a hook': [{do: 'remove', path: `${work}/.git/hooks/pre-commit`}],
  'autorun: replace a hook': [create(`${work}/h`), move(`${work}/h`, `${work}/.git/hooks/pre-commit`, true)],
  'autorun: rename the hooks folder': [
    move(`${work}/.git/hooks`, `${work}/.git/h`),
    create(`${work}/.git/hooks/pre-commit`),
  ],
  'autorun: rename .git away': [move(`${work}/.git`, `${work}/g`), create(`${work}/.git/hooks/pre-commit`)],
  'autorun: through a hard link': [
    {do: 'link', path: `${work}/.git/hooks/pre-commit`, to: `${work}/h`},
    write(`${work}/h`),
  ],
  'autorun: make a hook executable by all': [{do: 'chmod', path: `${work}/.git/hooks/pre-commit`}],
  'autorun: truncate it': [{do: 'truncate', path: `${work}/.git/hooks/pre-commit`}],
  "autorun: write ion's config": [write(`${work}/.ion/config.toml`)],
  "autorun: replace ion's folder": [move(`${work}/.ion`, `${work}/i`), create(`${work}/.ion/config.toml`)],
  "autorun: an editor's tasks": [write(`${work}/.vscode/tasks.json`)],
  'autorun: through a hard link by another call': [
    {do: 'link', path: `${work}/.git/hooks/pre-commit`, to: `${work}/h`},
    write(`${work}/h`),
  ],
  'autorun: a hook as standard input, opened again by a link': noProc,
  'autorun: a hook as standard input, opened again': {
    notHere: 'opening /dev/fd/0 on macOS gives the descriptor again, with the access that it has',
  },
  'autorun: .envrc': [write(`${work}/.envrc`)],
  'autorun: .mcp.json': [{do: 'remove', path: `${work}/.mcp.json`}],

  'autorun-new: plant a file for direnv': [create(`${work}/.envrc`)],
  'autorun-new: plant agent settings': [{do: 'mkdir', path: `${work}/.claude`}],
  'autorun-new: plant a file by renaming it': [create(f), move(f, `${work}/.mcp.json`)],
  'autorun-new: an unnamed file that gets its name by a link': linuxOnly,
  "autorun-new: ion's config": [{do: 'mkdir', path: `${work}/.ion`}, create(`${work}/.ion/config.toml`)],
  'autorun-new: a hook': [create(`${work}/.git/hooks/post-checkout`)],
  'autorun-new: a hook through another name of the folder': [create(`${work}/.git/hooks/post-merge`)],
  'autorun-new: a hook moved in': [create(`${work}/h`), move(`${work}/h`, `${work}/.git/hooks/post-commit`)],
  'autorun-new: by a dangling symlink': [create(`${work}/.envrc`)],
  "autorun-new: an agent's settings": [
    {do: 'mkdir', path: `${work}/.claude`},
    create(`${work}/.claude/settings.json`),
  ],
  'autorun-new: as a symlink': [
    {do: 'mkdir', path: `${work}/d`},
    {do: 'symlink', path: `${work}/.vscode`},
  ],
  'autorun-new: in other capitals': linuxOnly,
  'autorun-new: plant settings under a name that some file systems treat as the same': linuxOnly,
  'kernel: ask a file system for a subvolume': linuxOnly,
  'kernel: make an ioctl that is not known to be harmless': linuxOnly,
  'autorun: what a link in a protected folder leads to': linuxOnly,
  'autorun: the folder that such a link leads into': linuxOnly,
  'autorun: a hook that another process has replaced': linuxOnly,
  'autorun: mode, owner, times and attributes of what another process has replaced': linuxOnly,
  'autorun: a folder of hooks that another process has replaced': linuxOnly,
  'autorun-new: with a letter that folds to another': linuxOnly,
  'autorun-new: with an invisible character': linuxOnly,
  'autorun-new: with a dot at its end': linuxOnly,
  'autorun-nested: a hook of a bare repository whose HEAD is missing for a while': linuxOnly,
  'autorun-nested: one that another process makes meanwhile': linuxOnly,
  'denied-paths: a file that another process replaced': linuxOnly,
  'autorun-new: in a folder that comes to its place': byTarget,
  'autorun-new: as a unix socket': [create(`${work}/.ion`)],
  'autorun-new: a folder renamed to it': [
    {do: 'mkdir', path: `${work}/d`},
    move(`${work}/d`, `${work}/.vscode`),
  ],

  ...Object.fromEntries(
    [
      ['write a hook', 'below/.git/hooks/pre-commit'],
      ['a new hook', 'below/.git/hooks/post-merge'],
      ['a new hook, by a dangling symlink', 'below/.git/hooks/post-merge'],
      ['a hook moved in', 'below/.git/hooks/post-merge'],
      ['write its config', 'below/.git/config'],
      ['replace its config', 'below/.git/config'],
      ['remove its config and make another', 'below/.git/config'],
      ['lead its worktree elsewhere', 'below/.git/worktrees/tree/commondir'],
      ['lead a worktree elsewhere', 'tree/.git'],
      ['the config of a bare one', 'bare.git/config'],
    ].map(([name, file]) => [`autorun-nested: ${name}`, [write(`${work}/${file}`)]]),
  ),
  'autorun-nested: swap its config': linuxOnly,
  'autorun-nested: its git folder moved away': [move(`${work}/below/.git`, `${work}/b`)],
  'autorun-nested: its git folder exchanged': linuxOnly,
  'autorun-nested: its hook exchanged': linuxOnly,
  'autorun-nested: its hook, by a second name for its descriptor': linuxOnly,
  'autorun-nested: a hook of a submodule whose HEAD is gone': [
    {do: 'remove', path: `${work}/below/.git/modules/lib/HEAD`},
    create(`${work}/below/.git/modules/lib/hooks/post-merge`),
  ],
  'autorun-nested: a hook, by names of the own process': noProc,
  'autorun-nested: a hook, from a folder that is gone': [create(`${work}/below/.git/hooks/a`)],
  'autorun-nested: a hook, right after a change of the current folder': [
    create(`${work}/below/.git/hooks/a`),
  ],
  'autorun-nested: a hook, from a folder that was removed': [create(`${work}/below/.git/hooks/a`)],
  'autorun-nested: a bare one whose name a failed mkdir announced': linuxOnly,
  'autorun-nested: one that another process makes where the run removed folders': linuxOnly,
  'autorun-nested: a new hook, in other capitals': linuxOnly,

  'denied-exec: by a copy of the dynamic loader': linuxOnly,
  'denied-exec: by a script whose interpreter is a copy of the loader': linuxOnly,
  'denied-exec: by a copy that cannot be read': linuxOnly,
  'denied-exec: by a copy of the dynamic loader that cannot be read': linuxOnly,
  'denied-exec: through a variable': [{do: 'exec', path: '/bin/sleep'}],
  'denied-exec: in a script': [
    create(`${work}/s`),
    {do: 'exec', path: `${work}/s`},
    {do: 'exec', path: '/bin/sleep'},
  ],
  'denied-exec: from an interpreter': [
    {do: 'exec', path: '/usr/bin/python3'},
    {do: 'exec', path: '/bin/sleep'},
  ],
  'denied-exec: through a symlink': [
    {do: 'symlink', path: `${work}/x`},
    {do: 'exec', path: '/bin/sleep'},
  ],

  'denied-paths: the mode of a file that another process replaced': linuxOnly,
  'denied-paths: a file in the workspace': [read(`${work}/secret`)],
  'denied-paths: a folder in the workspace': [read(`${work}/secrets/key`)],
  'denied-paths: after renaming its folder': [move(`${work}/d`, `${work}/e`), read(`${work}/e/secret`)],

  'denied-paths-new: the mode and attributes of a file that a wildcard denies': [
    {do: 'chmod', path: `${work}/key.pem`},
  ],
  'denied-paths-new: the mode and attributes of such a folder, and attributes by a newer call': [
    {do: 'chmod', path: `${work}/key.pem`},
  ],
  'denied-paths-new: a wildcard, by a descriptor that is only a name, after its removal': linuxOnly,
  'denied-paths-new: make a denied place from a current folder that is renamed to its folder': byTarget,
  'denied-paths-new: a wildcard': [read(`${work}/d/key.pem`)],
  'denied-paths-new: a file that another process makes': [read(`${work}/later`)],
  'denied-paths-new: make it behind a link in the place of its folder': byTarget,
  'denied-paths-new: where a link of another process in the place of its folder leads': byTarget,
  'denied-paths-new: make what an entry without wildcards names': [create(`${work}/later`)],
  'denied-paths-new: a wildcard, after a hard link': [
    {do: 'link', path: `${work}/key.pem`, to: `${work}/l`},
    read(`${work}/l`),
  ],
  'denied-paths-new: a wildcard, after moving the folder out of it': [
    move(`${work}/d/k`, `${work}/e`),
    read(`${work}/e/key`),
  ],

  'loopback: send a datagram beyond this machine': [{do: 'connect', ip: '192.0.2.1', port: 9}],
  'loopback: listen for other machines': [{do: 'bind', ip: '192.0.2.7', port: 4711}],
  'loopback: listen for other machines, without bind': [{do: 'bind', ip: '192.0.2.7', port: 4711}],
  'loopback-own: connect to a server of another process': [{do: 'connect', ...near}],
  'loopback-own: connect to it by any address': [{do: 'connect', ...near}],
  'loopback-own: connect by IPv6 to its IPv4 address': [{do: 'connect', ...near}],
  'loopback-own: send a datagram to it': [{do: 'connect', ...near}],
  'loopback-own: MPTCP': [{do: 'connect', ...near}],
  'loopback-own: TCP fast open': [{do: 'connect', ...near}],
  'loopback-unshared: listen beside a server of another process': [{do: 'bind', ...near}],
  'network: reach a network': [{do: 'connect', ip: '192.0.2.1', port: 9}],
  'network: reach a network with bash': [{do: 'connect', ip: '192.0.2.1', port: 9}],
  'network: reach this machine': [{do: 'connect', ...near}],
  'network: connect to a server on this machine': [{do: 'connect', ...near}],
  'network: send a datagram to it': [{do: 'connect', ...near}],
  'network: connect by IPv6 to its IPv4 address': [{do: 'connect', ...near}],
  'network: sendto without connect': [{do: 'connect', ...near}],
  'network: MPTCP': [{do: 'connect', ...near}],
  'network: TCP fast open': [{do: 'connect', ...near}],
  'network: a raw socket': [{do: 'connect', ip: '127.0.0.1', port: 0}],
  'network: listen for other machines': [{do: 'bind', ip: '192.0.2.7', port: 4711}],

  'unix-sockets: a stream socket beside the workspace': [{do: 'connect-unix', path: `${home}/sock`}],
  'unix-sockets: a stream socket in /tmp': [{do: 'connect-unix', path: `${temp}/sock`}],
  'unix-sockets: through a symlink': [
    {do: 'symlink', path: `${work}/s`},
    {do: 'connect-unix', path: `${temp}/sock`},
  ],
  'unix-sockets: through a hard link': [
    {do: 'link', path: `${temp}/sock`, to: `${work}/s`, vnodeType: 'SOCKET'},
    {do: 'connect-unix', path: `${work}/s`},
  ],
  'unix-sockets: a datagram to /tmp': [
    {do: 'bind-unix', path: `${work}/own`},
    {do: 'connect-unix', path: `${temp}/dgram`},
  ],

  'abstract-sockets: connect': {notHere: 'macOS has no abstract sockets'},
  'other-sockets: make a vsock socket': [{do: 'socket', domain: 'AF_VSOCK'}],
  'other-sockets: make a kernel crypto socket': linuxOnly,
  'other-sockets: a packet socket': [{do: 'socket', domain: 'AF_NDRV'}],
  'other-sockets: netlink of the kernel log of devices': [{do: 'socket', domain: 'AF_SYSTEM'}],
  'other-sockets: bluetooth, can and others': [{do: 'socket', domain: 'AF_NATM'}],

  'ipc: attach shared memory': [{do: 'shared-memory', name: 'sysv'}],
  'ipc: read the state of shared memory': [{do: 'shared-memory', name: 'sysv'}],

  'signals: signal ion': [others],
  'signals: a process outside': [others],
  'signals: by sigqueue': linuxOnly,
  'signals: by pidfd': linuxOnly,
  'signals: by tgkill': [others],
  'signals: by F_SETOWN of a descriptor': [others],
  'signals: the launcher': [others],
  'signals: from a thread': [others],

  'processes: read the environment of ion': [{do: 'inspect'}],
  'processes: see what a file descriptor of ion refers to': [{do: 'inspect'}],
  'processes: memory': [{do: 'task-port'}],
  'processes: memory map': [{do: 'inspect'}],
  'processes: environment': [{do: 'inspect'}],
  'processes: environment of the launcher': [{do: 'inspect'}],
  'processes: current folder': [{do: 'inspect'}],
  'processes: descriptors': [{do: 'inspect'}],
  'processes: ptrace': [{do: 'task-port'}],
  'processes: process_vm_readv': [{do: 'task-port'}],
  'processes: pidfd_getfd': linuxOnly,

  'hidden-processes: see ion in /proc': {notHere: 'the profile leaves the list of processes open'},
  'hidden-processes: its folder in /proc': {notHere: 'the profile leaves the list of processes open'},
  'hidden-processes: its command line, among all': {notHere: 'the profile leaves the list of processes open'},
  'hidden-processes: its number, by the error of a signal': {
    notHere: 'the profile leaves the list of processes open',
  },
  'hidden-processes: its process group': {notHere: 'the profile leaves the list of processes open'},
  'hidden-processes: its scheduler': {notHere: 'the profile leaves the list of processes open'},
  'hidden-processes: its folder, by the root of the run': {
    notHere: 'the profile leaves the list of processes open',
  },
  'hidden-processes: its folder, by the root of any process': {
    notHere: 'the profile leaves the list of processes open',
  },
  'hidden-processes: a descriptor of it': {notHere: 'the profile leaves the list of processes open'},
  'scheduling: change the priority of ion': noScheduling,
  'scheduling: the processors of a process outside': linuxOnly,
  'scheduling: its scheduler': linuxOnly,
  'scheduling: its scheduler, by attributes': linuxOnly,
  'scheduling: its priority': noScheduling,
  'scheduling: the priority of its group': noScheduling,
  'scheduling: its io priority': linuxOnly,
  'scheduling: the memory of a process outside': linuxOnly,
  'scheduling: a thread of it': linuxOnly,
  'process-limits: set a limit of ion': {notHere: 'macOS has no such call'},
  'process-limits: a limit of a process outside': {notHere: 'macOS has no such call'},
  'terminals: open another terminal': linuxOnly,
  'terminal: TIOCSTI': [{do: 'new-pty'}, {do: 'control-terminal'}],
  'terminal: TIOCSTI with high bits set': linuxOnly,
  'terminal: TIOCEXCL, which prevents other processes from opening it': linuxOnly,
  'terminal: another line discipline': linuxOnly,
  'terminal: the keyboard and screen of a virtual console': linuxOnly,

  'set-id: make a set-user-id file': [{do: 'set-user-id', path: f}],
  'set-id: a device node that a rename leaves': linuxOnly,
  'set-id: make a device node': [{do: 'mknod', path: `${work}/node`}],
  'set-id: make a set-group-id file': [{do: 'set-user-id', path: f}],
  "set-id: make a set-group-id file through a folder's name": [{do: 'set-user-id', path: f}],
  'set-id: make a set-user-id folder': [{do: 'set-user-id', path: `${work}/d`}],
  'set-id: in the mode of open': [{do: 'set-user-id', path: f}],
  'set-id: in the mode of openat2': linuxOnly,
  'set-id: fchmod': [{do: 'set-user-id', path: f}],
  'set-id: fchmodat2': [{do: 'set-user-id', path: f}],
  'set-id: install -m': [{do: 'set-user-id', path: f}],
  'set-id: mknod(2) of a file': [{do: 'set-user-id', path: f}],
  'set-id: file capabilities': linuxOnly,

  'kernel: make a user namespace': linuxOnly,
  'kernel: make a mount namespace': linuxOnly,
  'kernel: read the kernel log': [{do: 'inspect'}],
  'kernel: clone with a user namespace': linuxOnly,
  'kernel: clone3': linuxOnly,
  'kernel: a network namespace': linuxOnly,
  'kernel: mount': [{do: 'mount', path: `${work}/m`}],
  'kernel: chroot': [{do: 'chroot', path: '/'}],
  'kernel: join a namespace': linuxOnly,
  'kernel: io_uring': linuxOnly,
  'kernel: bpf': linuxOnly,
  'kernel: perf': linuxOnly,
  'kernel: userfaultfd': linuxOnly,
  'kernel: fanotify': linuxOnly,
  'kernel: mounts by their own calls': linuxOnly,
  'kernel: a copy of the mounts, without what hides files in them': linuxOnly,
  'kernel: a lease, which delays a process outside that writes the file': linuxOnly,
  'kernel: a snapshot, which shows what mounts hide': linuxOnly,
  'kernel: create and remove subvolumes by a read-only descriptor': linuxOnly,
  'kernel: a delegation of a folder, which delays a process outside that creates a file in it': linuxOnly,
  "processes: the kernel's trace files": linuxOnly,
  'kernel: keyctl': linuxOnly,
  'kernel: the key of an encrypted folder': linuxOnly,
  'kernel: add a key': linuxOnly,
  'kernel: set the host name': [{do: 'set-sysctl', name: 'kern.hostname'}],
  'kernel: 32-bit calls': linuxOnly,

  'privileges: gain privileges by executing a file': {
    notHere: 'macOS starts no set-user-id program in a sandbox: not a rule of the profile',
  },
  'privileges: keep CAP_SYS_ADMIN': linuxOnly,
  'privileges: keep a capability that is not for files of its own': linuxOnly,
  'descriptors: inherit a descriptor': notByProfile,
  'descriptors: a descriptor that the caller left open': notByProfile,
  'etc: read a file that only root may read': {notHere: 'macOS keeps no passwords there'},
  'etc-later: read a file that another process makes there during the run, as root': {
    notHere: 'macOS keeps no passwords there',
  },
  'names: ask for the size of an outside file': {notHere: 'the profile leaves metadata open'},
  'names: list the attributes of an outside file': linuxOnly,
  'names: ask for one attribute of an outside file': linuxOnly,
  'names: watch an outside file': linuxOnly,
  'names: ask for the mount of an outside file': linuxOnly,
  'mounted-later: change a mode on a mount that another process makes during the run': [
    {do: 'chmod', path: `${home}/mounted/file`},
  ],
  'mounted-later: write to a mount that another process makes during the run': [
    create(`${home}/mounted/new`),
  ],
  ...Object.fromEntries(
    rows
      .filter(({given}) => given)
      .map(({protection, name}): [string, Translation] => [`${protection}: ${name}`, notByProfile]),
  ),
  ...Object.fromEntries(
    rows
      .filter(({protection}) => relayed.includes(protection))
      .map(({protection, name}): [string, Translation] => [`${protection}: ${name}`, noTable]),
  ),
  ...Object.fromEntries(
    rows
      .filter(({protection}) => /^network-(?:names|server-names|local)$/.test(protection))
      .map(({protection, name}) => [
        `${protection}: ${name}`,
        {notHere: 'the profile knows no names of servers'},
      ]),
  ),
};
