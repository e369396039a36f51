import type {GrantKind} from './linux/rights.ts';

/** What every command may read. Few and broad: each rule costs an open at start. Missing ones are left out. */
export const systemRoots: readonly {
  readonly path: string;
  readonly grant: GrantKind;
  readonly reason: string;
  readonly programs?: true;
}[] = [
  {path: '/usr', grant: 'read', reason: 'system programs and libraries', programs: true},
  // On most systems links into /usr; folders of their own on others.
  {path: '/bin', grant: 'read', reason: 'system programs', programs: true},
  {path: '/sbin', grant: 'read', reason: 'system programs', programs: true},
  {path: '/lib', grant: 'read', reason: 'system libraries', programs: true},
  {path: '/lib32', grant: 'read', reason: 'system libraries', programs: true},
  {path: '/lib64', grant: 'read', reason: 'system libraries', programs: true},
  {path: '/libx32', grant: 'read', reason: 'system libraries', programs: true},
  {path: '/opt', grant: 'read', reason: 'add-on programs', programs: true},
  {path: '/nix/store', grant: 'read', reason: 'Nix packages', programs: true},
  {path: '/gnu/store', grant: 'read', reason: 'Guix packages', programs: true},
  {path: '/snap', grant: 'read', reason: 'snap packages', programs: true},
  {path: '/run/current-system', grant: 'read', reason: 'NixOS system', programs: true},
  {path: '/home/linuxbrew/.linuxbrew', grant: 'read', reason: 'Homebrew', programs: true},
  {path: '/etc', grant: 'list', reason: 'names in /etc (contents: see the entries)'},
  // Never writable: a write grant on /proc cannot be limited to one's own process, and uid 0 without capabilities
  // would open /proc/sys/kernel/core_pattern. Landlock keeps other processes' memory and environment closed.
  {path: '/proc', grant: 'read', reason: 'own processes'},
  // Not /sys/kernel: in its tracing and debug root would follow every process of the machine.
  {path: '/sys', grant: 'list', reason: 'names of hardware facts'},
  ...[
    'block',
    'bus',
    'class',
    'dev',
    'devices',
    'firmware',
    'fs',
    'hypervisor',
    'kernel/mm',
    'module',
    'power',
  ].map((name) => ({path: `/sys/${name}`, grant: 'read' as const, reason: 'hardware facts'})),
  {path: '/dev', grant: 'list', reason: 'names of devices'},
  {path: '/run/systemd/resolve', grant: 'read', reason: 'name resolution (resolv.conf points here)'},
  {path: '/run/resolvconf', grant: 'read', reason: 'name resolution (resolv.conf points here)'},
  {path: '/var/lib/dpkg', grant: 'read', reason: 'package database'},
  {path: '/var/lib/apt', grant: 'read', reason: 'package database'},
  {path: '/var/lib/rpm', grant: 'read', reason: 'package database'},
  {path: '/var/lib/pacman', grant: 'read', reason: 'package database'},
  {path: '/var/cache/fontconfig', grant: 'read', reason: 'fonts'},
  {path: '/var/cache/man', grant: 'read', reason: 'manual pages'},
];

/** Entries of /etc that hold secrets; a slash stands for an entry of a folder. Never granted. */
export const etcSecrets: readonly string[] = [
  'shadow',
  'shadow-',
  'gshadow',
  'gshadow-',
  'sudoers',
  'sudoers.d',
  'security/opasswd',
  'apt/auth.conf',
  'apt/auth.conf.d',
  'ssl/private',
  'pki/tls/private',
  'letsencrypt',
  'wireguard',
  'openvpn',
  'ipsec.secrets',
  'ipsec.d/private',
  'ppp/chap-secrets',
  'ppp/pap-secrets',
  'NetworkManager/system-connections',
  'wpa_supplicant',
  'krb5.keytab',
  'ssh',
  'docker',
  'kubernetes',
  'rancher',
  'credstore',
  'credstore.encrypted',
];
