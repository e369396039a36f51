import {isTable, type NetworkEntry, type NetworkSetting} from './network-table.ts';

/** Top-level names that no registry sells: names below one belong to one local network. */
const ownTops = 'internal|local|localdomain|lan|home|corp|intranet|private|test|example|invalid|localhost';
/** Second-level names under which countries register domains: `*.co.uk`. */
const registries = 'ac|co|com|edu|gob|gov|gouv|mil|ne|net|nom|or|org';

/**
 * A wildcard below which everybody can register a name: before one label, or before one like `co.uk`. Public suffixes of
 * other forms (`github.io`) are not known.
 */
const wide = new RegExp(`^\\*\\.(?!(?:${ownTops})$)(?:[^.]+|(?:${registries})\\.[a-z]{2})$`);

/** The last labels of a name: two, or three where countries register domains below the second one. */
export function registeredPart(name: string): string {
  const labels = name.split('.');
  const isBelowRegistry = new RegExp(`^(?:${registries})\\.[a-z]{2}$`).test(labels.slice(-2).join('.'));
  return labels.slice(isBelowRegistry ? -3 : -2).join('.');
}

export function wideEntries(network: NetworkSetting): readonly NetworkEntry[] {
  return isTable(network) ? network.allow.filter(({pattern}) => wide.test(pattern)) : [];
}
