import type {Sourced} from '../sourced.ts';
import type {PresetName} from './preset-names.ts';

/** One entry of `sandbox.network.allow`. `value` is the entry as ion writes it, in its shortest form. */
export interface NetworkEntry extends Sourced<string> {
  /** `name`, `*.name`, `*` (every public name), `localhost`, or addresses: `10.0.0.0/16`; a single one as `10.0.0.1/32`. */
  readonly pattern: string;
  readonly kind: 'name' | 'below' | 'any' | 'address' | 'localhost';
  readonly ports: readonly number[];
  /** Any protocol: ion does not look inside. */
  readonly tcp: boolean;
  /** The name may have addresses of a local network. */
  readonly private: boolean;
  /** An encrypted server name passes unchecked. */
  readonly ech: boolean;
  /** The preset that it comes from, and the file that names the host. */
  readonly from?: string;
}

/** One entry of `sandbox.network.deny`: a name or a pattern, on all ports. */
export type DeniedName = Sourced<string>;

/** `[sandbox.network]`. */
export interface NetworkTable {
  readonly allow: readonly NetworkEntry[];
  readonly deny: readonly DeniedName[];
  /** Servers of the run among themselves. */
  readonly loopback: boolean;
}

/** One layer's table, as written. */
export interface NetworkLayer {
  readonly allow?: readonly NetworkEntry[];
  readonly deny?: readonly DeniedName[];
  readonly loopback?: boolean;
  /** Set until the hosts are in `allow` (expand-presets.ts). */
  readonly presets?: readonly Sourced<PresetName>[];
  /** It replaces the tables below it. */
  readonly replace?: boolean;
}

export type NetworkWord = 'none' | 'loopback' | 'full';
/** The value that one layer wrote. */
export type NetworkValue = NetworkWord | NetworkLayer;

/** The value while the layers are joined. */
export interface SourcedNetwork extends Sourced<NetworkValue> {
  /** The word that trusted layers set, if untrusted layers tightened it to `value`. */
  readonly trustedWord?: NetworkWord;
}

export type NetworkSetting = NetworkWord | NetworkTable;

export function isTable<T>(network: NetworkWord | T): network is T {
  return typeof network === 'object';
}

/** A word that is at least as strict. For a table without entries it has the same meaning; for any other table it is "none". */
export function wordOf(network: NetworkSetting): NetworkWord {
  if (!isTable(network)) return network;
  return network.allow.length === 0 && network.loopback ? 'loopback' : 'none';
}

/** Reports whether a network table allows a target outside the run. */
export function hasEntries(network: NetworkSetting): network is NetworkTable {
  return isTable(network) && network.allow.length > 0;
}

/** The form for records and facts: the word, or the entries. */
export function namedNetwork(network: NetworkSetting): string {
  return isTable(network) ? `allow ${network.allow.map(({value}) => value).join(' ') || 'nothing'}` : network;
}

/** Equal for networks that allow the same, wherever they were written. Pure. */
export function networkKey(network: NetworkSetting): string {
  if (!isTable(network)) return network;
  return JSON.stringify([
    network.allow.map(entryKey),
    network.deny.map(({value}) => value),
    network.loopback,
  ]);
}

/** Equal for entries that allow the same. */
export function entryKey({value, private: local, ech}: NetworkEntry): string {
  return `${value} ${local} ${ech}`;
}
