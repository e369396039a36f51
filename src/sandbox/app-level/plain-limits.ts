import {statfsSync} from 'node:fs';
import type {LaunchLimits} from '../launch.ts';
import {listProcessesLater, treeOf, type ProcessRow} from './process-rows.ts';

/**
 * The argv that sets the limits of bash, then replaces bash with the command: Node cannot set limits for a child. The
 * limits are words, not text of the script. This bash runs where the command runs, so inside the sandbox if there is
 * one.
 */
export function limitedArgv(argv: readonly string[], limits: LaunchLimits): readonly string[] {
  const {openFiles, fileSizeBytes, cpuSeconds} = limits;
  if (openFiles === undefined && fileSizeBytes === undefined && cpuSeconds === undefined) return argv;
  const values = [
    ['-n', openFiles],
    // Blocks of 512 or of 1024 bytes, by the mode of bash. Rounded down, so never more than requested.
    ['-f', fileSizeBytes === undefined ? undefined : Math.floor(fileSizeBytes / 1024)],
    ['-t', cpuSeconds],
  ] as const;
  const words = values.flatMap(([option, value]) => (value === undefined ? [] : [option, String(value)]));
  const script = 'while [ "$1" != -- ]; do ulimit "$1" "$2" || exit 125; shift 2; done; shift; exec "$@"';
  return ['/bin/bash', '--norc', '-c', script, 'ion-limits', ...words, '--', ...argv];
}

const lookEveryMs = 250;

/**
 * Checks the tree's memory and size, and the disk, during the run; only for limits that are set. Returns a function
 * that stops the checks.
 */
export function watchLimits(
  {root, group}: {readonly root: number; readonly group: number | undefined},
  {memoryBytes, processes, diskBytes}: LaunchLimits,
  diskRoots: readonly string[],
  passed: (limit: 'memory' | 'processes' | 'disk', value: number) => void,
): () => void {
  const looksAtTree = memoryBytes !== undefined || processes !== undefined;
  if (!looksAtTree && diskBytes === undefined) return () => undefined;
  const free = diskBytes === undefined ? [] : diskRoots.map(freeBytes);
  let stopped = false;
  const lookAtTree = (rows: readonly ProcessRow[]): void => {
    if (stopped) return;
    const tree = treeOf(rows, root, group);
    const bytes = tree.reduce((sum, {residentKb}) => sum + residentKb * 1024, 0);
    if (memoryBytes !== undefined && bytes > memoryBytes) passed('memory', bytes);
    else if (processes !== undefined && tree.length > processes) passed('processes', tree.length);
  };
  const timer = setInterval(() => {
    const lost = Math.max(0, ...diskRoots.map((folder, index) => (free[index] ?? 0) - freeBytes(folder)));
    if (diskBytes !== undefined && lost > diskBytes) passed('disk', lost);
    else if (looksAtTree) listProcessesLater(lookAtTree);
  }, lookEveryMs);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

function freeBytes(folder: string): number {
  const {bfree, bsize} = statfsSync(folder);
  return bfree * bsize;
}
