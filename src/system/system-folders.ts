import {isWithin} from './is-within.ts';

/** Folders that belong to the system, with everything below them. */
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
  // macOS, where /etc and /var are symlinks into /private.
  ...['/System', '/Library', '/Applications', '/private/etc', '/private/var/db', '/private/var/root'],
];

/** Folders with files of several owners. ion never grants one as a whole; a folder below it may be granted. */
export const sharedFolders: readonly string[] = [
  ...['/', '/home', '/root', '/opt', '/run', '/var', '/var/lib', '/var/spool'],
  ...['/Users', '/Volumes', '/private', '/private/var'],
];

/**
 * These folders also contain files of several owners. But containers often mount a project directly there, so each may be a
 * workspace.
 */
export const mountFolders: readonly string[] = ['/srv', '/mnt', '/media'];

/** Programs that the machine starts by itself (cron, at), and the state of its packages and services. */
const serviceFolders: readonly string[] = [
  '/run',
  ...['/var/at', ...['cron', 'at', 'atjobs', 'anacron'].map((name) => `/var/spool/${name}`)],
  ...['apt', 'dpkg', 'rpm', 'pacman', 'systemd', 'snapd', 'docker', 'containerd'].map(
    (name) => `/var/lib/${name}`,
  ),
];

/**
 * Reports whether a path belongs to the system, contains such a path, or is a folder with files of several owners. Pure.
 */
export function isOfSystem(path: string): boolean {
  return (
    [...sharedFolders, ...mountFolders].includes(path) ||
    [...systemFolders, ...serviceFolders].some((folder) => isWithin(path, folder) || isWithin(folder, path))
  );
}
