import {baseName} from '../../system/base-name.ts';
/** Programs that change the machine as a whole. No setting of ion helps them: they belong outside. */
const kinds = {
  user: ['su', 'sudo', 'doas', 'pkexec', 'login'],
  mount: ['mount', 'umount', 'losetup', 'swapon', 'swapoff'],
  package: ['apt', 'apt-get', 'aptitude', 'dpkg', 'dnf', 'yum', 'zypper', 'pacman', 'apk', 'rpm', 'snap'],
  account: [
    ...[
      'nologin',
      'useradd',
      'adduser',
      'usermod',
      'userdel',
      'groupadd',
      'groupmod',
      'passwd',
      'chsh',
      'chfn',
    ],
    ...['vipw', 'visudo'],
  ],
  service: ['systemctl', 'service', 'crontab', 'at', 'batch'],
  tracing: ['perf', 'bpftrace', 'bpftool', 'trace-cmd', 'dmesg'],
  netlink: ['ss', 'conntrack', 'nft', 'iptables', 'tc'],
} as const;

export type MachineKind = keyof typeof kinds;

const kindOf: ReadonlyMap<string, MachineKind> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) =>
    names.map((name): [string, MachineKind] => [name, kind as MachineKind]),
  ),
);

/** The part of the machine that a program changes, by the program's path or name. */
export function machineKindOf(program: string): MachineKind | undefined {
  return kindOf.get(baseName(program));
}
