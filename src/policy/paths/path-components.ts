/** Paths as text: absolute, compared by whole components. POSIX only, without looking at the disk. */

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

/**
 * Expands `~`, `~name` with the home's own name, `$HOME`, `${HOME}` and the like at the start of a path. `$PWD`
 * becomes `.`.
 */
export function expandHome(path: string, home: string): string {
  const match = /^(?:~([\w.-]*)|\$HOME|\$\{HOME(?::?[-?=+][^}]*)?\})(?=\/|$)/.exec(path);
  if (!match) return path.replace(/^(?:\$PWD|\$\{PWD\}|~\+)(?=\/|$)/, '.');
  const name = match[1] ?? '';
  return name === '' || name === home.split('/').at(-1) ? home + path.slice(match[0].length) : path;
}

/**
 * One spelling for all paths that some file systems (APFS, a mounted vfat) treat as the same file: without case, and with
 * characters composed (NFC). Only for refusals: an allow needs the exact path.
 */
export function folded(path: string): string {
  return path.toLowerCase().normalize('NFC');
}
