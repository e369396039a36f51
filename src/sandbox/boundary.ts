import {isTable} from '../config/network/network-table.ts';
import type {Settings} from '../config/settings.ts';

/**
 * The kind of a run's boundary: the files that it may change, and the programs that it may start. `read` is read mode's boundary;
 * `read-kernel` is that of `read = "kernel"`: any program, nothing writable.
 */
export type Boundary = 'write' | 'read' | 'read-kernel';

export function boundaryOf({mode, read}: Pick<Settings, 'mode' | 'read'>): Boundary {
  if (mode.value === 'write') return 'write';
  return read.value === 'kernel' ? 'read-kernel' : 'read';
}

/**
 * Settings within the boundary: read mode sends nothing, whatever the config sets. Sockets of the run itself stay
 * usable.
 */
export function withinBoundary(settings: Settings): Settings {
  if (boundaryOf(settings) !== 'read') return settings;
  const network: Settings['network'] =
    settings.network.value === 'full' || isTable(settings.network.value)
      ? {value: 'none', origin: {layer: 'default'}}
      : settings.network;
  return {...settings, network, unixSockets: []};
}

/** The same settings with read mode's boundary. */
export function asReader(settings: Settings): Settings {
  const origin = {layer: 'default'} as const;
  return {...settings, mode: {value: 'read', origin}, read: {value: 'table', origin}};
}
