import type {Sourced} from './settings.ts';

interface LimitRow {
  /** Below sandbox.limits in the config, and in reports of the launcher. */
  readonly name: string;
  /** The launcher's option. */
  readonly option: string;
  readonly unit: 'ms' | 'bytes' | 'seconds' | 'count';
}

/** The limits of a run: every place that has to do with all of them goes by this table. */
export const limitTable = {
  timeoutMs: {name: 'timeout', option: 'timeout_ms', unit: 'ms'},
  memoryBytes: {name: 'memory', option: 'memory', unit: 'bytes'},
  processes: {name: 'processes', option: 'processes', unit: 'count'},
  openFiles: {name: 'open_files', option: 'open_files', unit: 'count'},
  fileSizeBytes: {name: 'file_size', option: 'file_size', unit: 'bytes'},
  cpuSeconds: {name: 'cpu', option: 'cpu_seconds', unit: 'seconds'},
  /** Of each file system that is written to. */
  diskBytes: {name: 'disk', option: 'disk', unit: 'bytes'},
} as const satisfies Record<string, LimitRow>;

export type Limit = keyof typeof limitTable;
export type LimitName = (typeof limitTable)[Limit]['name'];

export const allLimits = Object.keys(limitTable) as readonly Limit[];

/** By limit, in the unit of its row; absent = none. */
export type Limits = {readonly [limit in Limit]?: Sourced<number>};

/** The limit that the config and the launcher call by this name. */
export function limitNamed(name: string): Limit | undefined {
  return allLimits.find((limit) => limitTable[limit].name === name);
}

/** One value for each limit that has one. Pure. */
export function eachLimit<T>(valueOf: (limit: Limit) => T | undefined): {readonly [limit in Limit]?: T} {
  const pairs = allLimits.map((limit) => [limit, valueOf(limit)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
