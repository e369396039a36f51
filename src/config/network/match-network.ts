import {BlockList} from 'node:net';
import {ipFamily} from '../../system/ip-family.ts';
import {isTable, type NetworkEntry, type NetworkSetting} from './network-table.ts';

/**
 * Reports whether a pattern matches a name. Both are in lower case, without a final dot.
 * native/launcher/network/rules.c has the same rule.
 */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return pattern === name;
  return name.length > pattern.length - 1 && name.endsWith(pattern.slice(1));
}

/** Reports whether the pattern `outer` matches every name that the pattern `inner` matches. */
export function containsPattern(outer: string, inner: string): boolean {
  if (outer === inner || outer === '*') return true;
  if (inner === '*' || !outer.startsWith('*.')) return false;
  return matchesName(outer, inner.startsWith('*.') ? inner.slice(2) : inner);
}

/**
 * Reports whether the network `outer` contains every address of the network `inner`. Both are written as
 * `address/bits`.
 */
export function containsAddresses(outer: string, inner: string): boolean {
  const [outerAddress = '', outerBits = '0'] = outer.split('/');
  const [innerAddress = '', innerBits = '0'] = inner.split('/');
  if (ipFamily(outerAddress) !== ipFamily(innerAddress) || Number(innerBits) < Number(outerBits))
    return false;
  const family = ipFamily(outerAddress) === 4 ? 'ipv4' : 'ipv6';
  const networks = new BlockList();
  networks.addSubnet(outerAddress, Number(outerBits), family);
  return networks.check(innerAddress, family);
}

/** The target of a connection. */
export interface Target {
  readonly name?: string;
  readonly address?: string;
  readonly port: number;
}

/** The entry that allows a name (or an address) on a port. Undefined if none does, or if `deny` has the name. Pure. */
export function entryFor(network: NetworkSetting, {name, address, port}: Target): NetworkEntry | undefined {
  if (!isTable(network)) return undefined;
  if (name !== undefined && network.deny.some(({value}) => matchesName(value, name))) return undefined;
  return network.allow.find(
    (entry) =>
      entry.ports.includes(port) &&
      (entry.kind === 'address'
        ? address !== undefined &&
          containsAddresses(entry.pattern, `${address}/${ipFamily(address) === 4 ? 32 : 128}`)
        : name !== undefined &&
          (entry.kind === 'localhost'
            ? name === 'localhost'
            : name !== 'localhost' && matchesName(entry.pattern, name))),
  );
}

/**
 * Reports whether a target may be reached by an entry with all flags that the target sets. The property tests of the
 * join use it. Pure.
 */
export function allows(
  network: NetworkSetting,
  target: Target & {readonly tcp?: boolean; readonly private?: boolean; readonly ech?: boolean},
): boolean {
  if (network === 'full') return true;
  if (!isTable(network)) return false;
  const {name} = target;
  if (name !== undefined && network.deny.some(({value}) => matchesName(value, name))) return false;
  return network.allow.some(
    (entry) =>
      entryFor({...network, allow: [entry]}, target) !== undefined &&
      (!target.tcp || entry.tcp) &&
      (!target.private || entry.private) &&
      (!target.ech || entry.ech),
  );
}
