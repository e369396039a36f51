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

/** `~`, `~name` of the home's own name, `$HOME`, `${HOME}` and the like at the start of a path; `$PWD` is `.`. */
export function expandHome(path: string, home: string): string {
  const match = /^(?:~([\w.-]*)|\$HOME|\$\{HOME(?::?[-?=+][^}]*)?\})(?=\/|$)/.exec(path);
  if (!match) return path.replace(/^(?:\$PWD|\$\{PWD\}|~\+)(?=\/|$)/, '.');
  const name = match[1] ?? '';
  return name === '' || name === home.split('/').at(-1) ? home + path.slice(match[0].length) : path;
}

/**
 * One spelling for paths that a file system may hold for the same: letters without case, composed characters
 * (APFS, and a mounted vfat). Only for refusals: to allow, a path must be exactly the one that was meant.
 */
export function folded(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
