import {readFileSync, readdirSync} from 'node:fs';

interface Status {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** How many PID namespaces it is in, from the test's. */
  readonly depth: number;
}

function statuses(): Status[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const text = readFileSync(`/proc/${pid}/status`, 'utf8');
      const field = (name: string): string => new RegExp(`^${name}:\t(.*)$`, 'm').exec(text)?.[1] ?? '';
      if (field('State').startsWith('Z')) return [];
      const depth = field('NSpid').split('\t').length;
      return [{pid: Number(pid), name: field('Name'), parent: Number(field('PPid')), depth}];
    } catch {
      return []; // it has ended
    }
  });
}

/** The relay below `pid`, and its launcher. Both are the same program, and so is process 1 of the run's PID namespace. */
export function relayBelow(pid: number): {readonly relay: number; readonly launcher: number} | undefined {
  const all = statuses();
  const tree = new Set([pid]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const one of all) if (tree.has(one.parent)) tree.add(one.pid);
  }
  const launchers = all.filter((one) => tree.has(one.pid) && one.name === 'ion-launcher');
  for (const {pid: relay, parent, depth} of launchers)
    if (launchers.some((one) => one.pid === parent && one.depth === depth)) return {relay, launcher: parent};
  return undefined;
}
