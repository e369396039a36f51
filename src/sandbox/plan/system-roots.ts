import type {GrantKind} from '../linux/rights.ts';

/**
 * System folders that every command may read. The list has few and broad entries: each rule costs an open at the start. Missing
 * ones are left out.
 */
export const systemRoots: readonly {
  readonly path: string;
  readonly grant: GrantKind;
  readonly reason: string;
  readonly programs?: true;
}[] = [
  {path: '/usr', grant: 'read', reason: 'system programs and libraries', programs: true},
  // These are symlinks into /usr on most systems, and separate folders on others.
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
  // Never writable: a write grant on /proc cannot be limited to one's own process, and uid 0 without capabilities would
  // open /proc/sys/kernel/core_pattern. Landlock hides other processes' memory and environment.
  {path: '/proc', grant: 'read', reason: 'own processes'},
  // Not /sys/kernel: through its tracing and debug folders root would follow every process of the machine.
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

export const etcFolder = '/etc';

/**
 * Entries of /etc that contain secrets whatever their mode, or whose mode an administrator may have widened; a slash
 * stands for an entry of a folder. Never granted, like every file that other users cannot read.
 */
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

/**
 * Entries of /etc that are granted although other users cannot read them: a strict umask closes them when an image is
 * built. Each with what fails without it; none contains a secret.
 */
export const etcOpen: readonly {readonly name: string; readonly reason: string}[] = [
  {name: 'ld.so.cache', reason: 'no program starts'},
  {name: 'ld.so.conf', reason: 'no program is linked'},
  {name: 'ld.so.conf.d', reason: 'no program is linked'},
  {name: 'passwd', reason: 'no user has a name'},
  {name: 'group', reason: 'no group has a name'},
  {name: 'nsswitch.conf', reason: 'no name is looked up'},
  {name: 'hosts', reason: 'localhost is not found'},
  {name: 'hostname', reason: 'the machine has no name'},
  {name: 'host.conf', reason: 'no host is found'},
  {name: 'resolv.conf', reason: 'no host is found'},
  {name: 'services', reason: 'no port has a name'},
  {name: 'protocols', reason: 'no protocol has a name'},
  {name: 'ssl/certs', reason: 'no server is trusted'},
  {name: 'ssl/openssl.cnf', reason: 'OpenSSL does not start'},
  {name: 'pki/tls/certs', reason: 'no server is trusted'},
  {name: 'pki/ca-trust/extracted', reason: 'no server is trusted'},
  {name: 'ca-certificates.conf', reason: 'no server is trusted'},
  {name: 'localtime', reason: 'times are in another time zone'},
  {name: 'timezone', reason: 'times are in another time zone'},
  {name: 'os-release', reason: 'the system has no name'},
  {name: 'machine-id', reason: 'D-Bus does not start'},
  {name: 'profile', reason: 'a login shell does not start as outside'},
  {name: 'profile.d', reason: 'a login shell does not start as outside'},
  {name: 'bash.bashrc', reason: 'a shell does not start as outside'},
  {name: 'inputrc', reason: 'keys have no effect in a prompt'},
  {name: 'gitconfig', reason: 'git does not start'},
  {name: 'alternatives', reason: 'program names are links through it'},
  {name: 'mime.types', reason: 'no file has a type'},
  {name: 'fonts', reason: 'no text is drawn'},
  {name: 'terminfo', reason: 'no terminal is known'},
];

/** The closed entries of /etc: by name, and by mode. Names below it, each once and none below another. Pure. */
export function closedInEtc(notForOthers: readonly string[]): string[] {
  const all = [...new Set([...etcSecrets, ...notForOthers.filter((name) => !isOpen(name))])];
  return all.filter((name) => !all.some((other) => name.startsWith(`${other}/`)));
}

/** The entries that stay open although they match. Pure. */
export function neededInEtc(notForOthers: readonly string[]): string[] {
  return notForOthers.filter(isOpen);
}

const openNames: ReadonlySet<string> = new Set(etcOpen.map(({name}) => name));

/** The path itself, or a folder that contains it. */
function isOpen(name: string): boolean {
  return name.split('/').some((_, at, parts) => openNames.has(parts.slice(0, at + 1).join('/')));
}
