import {readFileSync} from 'node:fs';

/** This process's group, the device number of its controlling terminal, and that terminal's foreground group. */
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
