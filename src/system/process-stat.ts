import {readFileSync} from 'node:fs';

/** Of this process: its group, the terminal that controls it (by its device number), and the group in the foreground there. */
export function processStat():
  {readonly group: string; readonly terminal: string; readonly foreground: string} | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , terminal, foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {group: group!, terminal: terminal!, foreground: foreground!};
  } catch {
    return undefined;
  }
}
