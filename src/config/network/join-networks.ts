import {containsAddresses, containsPattern} from './match-network.ts';
import {entryText} from './entry-text.ts';
import {
  hasEntries,
  entryKey,
  isTable,
  wordOf,
  type NetworkEntry,
  type NetworkLayer,
  type NetworkSetting,
  type NetworkTable,
  type NetworkValue,
  type NetworkWord,
  type SourcedNetwork,
} from './network-table.ts';

/** The whole table for the text of a layer. */
export function completeNetwork(network: NetworkValue): NetworkSetting {
  if (!isTable(network)) return network;
  const {allow = [], deny = [], loopback = false} = network;
  return {allow, deny, loopback};
}

/** `+=` and grants add to the value below them, even if it is a word. A file sets a table of its own. */
const adding: readonly string[] = ['set', 'grants'];

/**
 * Two trusted layers: a word replaces, a table unites with a table below it. A table above a word replaces it. A table that adds
 * keeps what the word allows. If an untrusted layer tightened a word, a higher table replaces the word as it was. Otherwise the
 * table would be added to the rest that the untrusted layer left.
 */
export function uniteNetworks(high: SourcedNetwork, low: SourcedNetwork): SourcedNetwork {
  if (!isTable(high.value) || high.value.replace) return high;
  const adds = adding.includes(high.origin.layer);
  const word = wordBelow(low);
  if (low.value === 'full') return adds ? low : high;
  const value = united(high.value, word === undefined || adds ? layerOf(low.value) : deniedIn(low.value));
  return {value, origin: high.origin, ...(adds && word === 'full' ? {trustedWord: word} : {})};
}

/** The word that trusted layers set. Undefined if they set a table. */
function wordBelow({value, trustedWord}: SourcedNetwork): NetworkWord | undefined {
  return trustedWord ?? (isTable(value) ? undefined : value);
}

function layerOf(network: NetworkValue): NetworkLayer {
  return isTable(network) ? network : network === 'loopback' ? {loopback: true} : {};
}

function deniedIn(network: NetworkValue): NetworkLayer {
  return {deny: tableOf(network).deny};
}

function united(high: NetworkLayer, low: NetworkLayer): NetworkLayer {
  const loopback = high.loopback ?? low.loopback;
  return {
    allow: [...(high.allow ?? []), ...(low.allow ?? [])],
    deny: [...(high.deny ?? []), ...(low.deny ?? [])],
    ...(loopback === undefined ? {} : {loopback}),
  };
}

/** `--set sandbox.network.allow=[...]`: takes the place of that list. The entries of `deny` stay. */
export function replaceNetwork(high: SourcedNetwork, low: SourcedNetwork): SourcedNetwork {
  if (!isTable(high.value) || !isTable(low.value)) return high;
  const below = wordBelow(low) === undefined ? low.value : deniedIn(low.value);
  const {allow = below.allow, deny = [], loopback = below.loopback} = high.value;
  const value = {
    ...(allow ? {allow} : {}),
    deny: [...deny, ...(below.deny ?? [])],
    ...(loopback === undefined ? {} : {loopback}),
  };
  return {value, origin: high.origin};
}

/** The targets that both allow. Pure. */
export function meetNetworks(one: NetworkValue, other: NetworkValue): NetworkValue {
  if (one === 'full') return other;
  if (other === 'full') return one;
  const [first, second] = [tableOf(one), tableOf(other)];
  // The denials of a table stay in force above a word, because a higher layer may allow names again.
  if (first.deny.length === 0 && second.deny.length === 0) {
    if (one === 'none' || other === 'none') return 'none';
    if (!isTable(one) && !isTable(other)) return 'loopback';
  }
  return {
    allow: first.allow.flatMap((entry) => second.allow.flatMap((limit) => meetEntries(entry, limit) ?? [])),
    deny: [...first.deny, ...second.deny],
    loopback: first.loopback && second.loopback,
  };
}

function tableOf(network: NetworkValue): NetworkTable {
  return isTable(network)
    ? {allow: network.allow ?? [], deny: network.deny ?? [], loopback: network.loopback ?? false}
    : {allow: [], deny: [], loopback: network === 'loopback'};
}

/** The narrower pattern, the common ports, and a flag only if both have it. */
function meetEntries(one: NetworkEntry, other: NetworkEntry): NetworkEntry | undefined {
  const ports = one.ports.filter((port) => other.ports.includes(port));
  const narrower = contains(one, other) ? other : contains(other, one) ? one : undefined;
  if (!narrower || ports.length === 0) return undefined;
  const tcp = one.tcp && other.tcp;
  // The relay never reads a connection to an address, because there is no name to check.
  if (narrower.kind === 'address' && !tcp) return undefined;
  const entry = {
    ...{pattern: narrower.pattern, kind: narrower.kind, ports, tcp},
    ...{private: one.private && other.private, ech: one.ech && other.ech},
  };
  return {...entry, value: entryText(entry), origin: narrower.origin};
}

function contains(outer: NetworkEntry, inner: NetworkEntry): boolean {
  const [outerKind, innerKind] = [outer.kind, inner.kind];
  if (outerKind === 'address' || innerKind === 'address')
    return outerKind === innerKind && containsAddresses(outer.pattern, inner.pattern);
  if (outerKind === 'localhost' || innerKind === 'localhost') return outerKind === innerKind;
  return containsPattern(outer.pattern, inner.pattern);
}

/** For an untrusted layer: the targets that both allow. The layer's other targets are refused. */
export function tightenNetwork(current: SourcedNetwork | undefined, found: SourcedNetwork) {
  if (current === undefined) return {value: found, refused: []};
  const {value, origin} = current;
  const met = meetNetworks(value, found.value);
  const same = JSON.stringify(met) === JSON.stringify(isTable(met) ? tableOf(value) : value);
  const whole = isWhole(met, found.value);
  // Equal values count as set by the layer, not as a default.
  const kept = same && !(origin.layer === 'default' && whole);
  const word = wordBelow(current);
  const tightened = {value: met, origin: found.origin, ...(word === undefined ? {} : {trustedWord: word})};
  return {
    value: kept ? current : tightened,
    refused: whole ? [] : [{path: [], origin: found.origin}],
  };
}

/** Reports whether the joined value `met` still has everything that the layer wanted. */
function isWhole(met: NetworkValue, wanted: NetworkValue): boolean {
  if (!isTable(met) || !isTable(wanted))
    return (
      met === wanted ||
      (wordOf(completeNetwork(wanted)) === met && !hasEntries(completeNetwork(wanted))) ||
      (isTable(met) && wanted === 'loopback' && met.loopback === true)
    );
  const [have, want] = [tableOf(met), tableOf(wanted)];
  const texts = have.allow.map(entryKey);
  return want.allow.every((entry) => texts.includes(entryKey(entry))) && have.loopback === want.loopback;
}
