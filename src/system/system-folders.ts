import {isWithin} from './is-within.ts';

/** Folders that belong to the system with all that lies below them. */
export const systemFolders: readonly string[] = [
  ...[
    '/usr',
    '/etc',
    '/bin',
    '/sbin',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/boot',
    '/dev',
    '/proc',
    '/sys',
  ],
  ...['/nix/store', '/gnu/store', '/snap'],
  // macOS, where /etc and /var are links into /private.
  ...['/System', '/Library', '/Applications', '/private/etc', '/private/var/db', '/private/var/root'],
];

/** Folders that hold what belongs to many. They are never granted as a whole; a folder below them may be. */
export const sharedFolders: readonly string[] = [
  ...['/', '/home', '/root', '/opt', '/run', '/var', '/var/lib', '/var/spool'],
  ...['/Users', '/Volumes', '/private', '/private/var'],
];

/** The same; but many containers mount a project there, so each may be a workspace. */
export const mountFolders: readonly string[] = ['/srv', '/mnt', '/media'];

/** What the machine runs by itself (cron, at), and the state of its packages and services. */
const serviceFolders: readonly string[] = [
  '/run',
  ...['/var/at', ...['cron', 'at', 'atjobs', 'anacron'].map((name) => `/var/spool/${name}`)],
  ...['apt', 'dpkg', 'rpm', 'pacman', 'systemd', 'snapd', 'docker', 'containerd'].map(
    (name) => `/var/lib/${name}`,
  ),
];

/** Reports whether a path belongs to the system, holds what does, or is a folder that holds what belongs to many. Pure. */
export function isOfSystem(path: string): boolean {
  return (
    [...sharedFolders, ...mountFolders].includes(path) ||
    [...systemFolders, ...serviceFolders].some((folder) => isWithin(path, folder) || isWithin(folder, path))
  );
}
