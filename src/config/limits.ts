interface LimitRow {
  /** The name below sandbox.limits in the config, and in reports of the launcher. */
  readonly name: string;
  /** The launcher's option. */
  readonly option: string;
  readonly unit: 'ms' | 'bytes' | 'seconds' | 'count';
}

/** The limits of a run. All code that handles every limit uses this table. */
export const limitTable = {
  timeoutMs: {name: 'timeout', option: 'timeout_ms', unit: 'ms'},
  memoryBytes: {name: 'memory', option: 'memory', unit: 'bytes'},
  processes: {name: 'processes', option: 'processes', unit: 'count'},
  openFiles: {name: 'open_files', option: 'open_files', unit: 'count'},
  fileSizeBytes: {name: 'file_size', option: 'file_size', unit: 'bytes'},
  cpuSeconds: {name: 'cpu', option: 'cpu_seconds', unit: 'seconds'},
  /** For each file system that is written to, separately. */
  diskBytes: {name: 'disk', option: 'disk', unit: 'bytes'},
} as const satisfies Record<string, LimitRow>;

export type Limit = keyof typeof limitTable;
export type LimitName = (typeof limitTable)[Limit]['name'];

export const allLimits = Object.keys(limitTable) as readonly Limit[];

/** The limit that has this name in the config and in the launcher. */
export function limitNamed(name: string): Limit | undefined {
  return allLimits.find((limit) => limitTable[limit].name === name);
}

/** Collects one value for each limit for which `valueOf` returns one. Pure. */
export function eachLimit<T>(valueOf: (limit: Limit) => T | undefined): {readonly [limit in Limit]?: T} {
  const pairs = allLimits.map((limit) => [limit, valueOf(limit)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
