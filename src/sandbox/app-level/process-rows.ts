import {execFile, spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {attempt} from '../../system/attempt.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly residentKb: number;
}

/** Runs outside any sandbox, so by its absolute path. */
const ps = '/bin/ps';
const columns = ['-axo', 'pid=,ppid=,pgid=,rss='];

export function parseProcesses(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, residentKb] = line.trim().split(/\s+/).map(Number);
    if (!pid || parent === undefined || group === undefined || residentKb === undefined) return [];
    return [{pid, parent, group, residentKb}];
  });
}

/**
 * The processes of a run: the root, its descendants, and the members of its process group. A process that made its own
 * session and lost its parent is not found: without the launcher no process adopts it.
 */
export function treeOf(rows: readonly ProcessRow[], root: number, group: number | undefined): ProcessRow[] {
  const found = new Map<number, ProcessRow>();
  const take = (row: ProcessRow): void => void found.set(row.pid, row);
  for (const row of rows) if (row.pid === root || row.group === group) take(row);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent) || row.parent === root) take(row);
  }
  return [...found.values()];
}

/** All processes now. */
export function listProcesses(): ProcessRow[] {
  if (process.platform === 'linux') return processesOfProc();
  return parseProcesses(spawnSync(ps, columns, {encoding: 'utf8'}).stdout ?? '');
}

export function listProcessesLater(done: (rows: ProcessRow[]) => void): void {
  if (process.platform === 'linux') done(processesOfProc());
  else execFile(ps, columns, (_error, stdout) => done(parseProcesses(stdout)));
}

/** Small Linux images have no ps. They always have /proc. See proc_pid_status(5). */
function processesOfProc(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const status = attempt(() => readFileSync(`/proc/${name}/status`, 'latin1')); // the process may have ended meanwhile
    return status === undefined ? [] : [statusRow(Number(name), status)];
  });
}

function statusRow(pid: number, status: string): ProcessRow {
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {pid, parent: field('PPid'), group: field('NSpgid'), residentKb: field('VmRSS')};
}
