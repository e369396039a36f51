/** Paths as text: absolute, by whole components. POSIX only, and without looking at the disk. */

/** The parts of an absolute path, `.` and `..` resolved as text. */
export function components(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

/** `~`, `~/x`, `$HOME/x`, `${HOME}/x` at the start of a path. */
export function expandHome(path: string, home: string): string {
  const match = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/.exec(path);
  return match ? home + path.slice(match[0].length) : path;
}

/**
 * One spelling for paths that a file system may hold for the same: letters without case, composed characters
 * (APFS, and a mounted vfat). Only for refusals: to allow, a path must be exactly the one that was meant.
 */
export function folded(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
