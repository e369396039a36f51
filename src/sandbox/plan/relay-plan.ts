import {matchesName} from '../../config/network/match-network.ts';
import type {NetworkEntry, NetworkTable} from '../../config/network/network-table.ts';
import type {Resolver} from './name-servers.ts';

/** The input of a run's relay: lists in the form of native/launcher/network/rules.h. */
export interface RelayPlan {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly nameServers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly pinnedHosts: readonly string[];
  /** Servers of the run are refused. */
  readonly closedServers: boolean;
}

/** Pure. */
export function planRelay(
  {allow, deny, loopback}: NetworkTable,
  {servers, search}: Resolver,
  hosts: readonly string[],
): RelayPlan {
  return {
    allow: allow.map(ruleOf),
    deny: deny.map(({value}) => value),
    nameServers: servers,
    searchDomains: search,
    pinnedHosts: hosts.filter((line) => isAllowed(allow, line.slice(line.indexOf(' ') + 1))),
    closedServers: !loopback,
  };
}

/** The sizes of native/launcher/network/rules.h. */
const [maxRules, maxPorts] = [512, 64];

/**
 * The same, with a relay that asks about names that are not listed, for port 443. The user has allowed the names of `allowed`
 * before. Unchanged if its lists are full.
 */
export function withQuestions<N extends {readonly relay?: RelayPlan | undefined}>(
  namespaces: N,
  allowed: readonly string[],
): N {
  const allow = [...(namespaces.relay?.allow ?? []), ...allowed.map((name) => `- 443 ${name}`)];
  const ports = new Set(['443', ...allow.flatMap((rule) => rule.split(' ')[1]!.split(','))]);
  if (!namespaces.relay || allow.length >= maxRules || ports.size > maxPorts) return namespaces;
  return {...namespaces, relay: {...namespaces.relay, allow: [...allow, 'q 443 *']}};
}

function ruleOf({kind, pattern, ports, tcp, private: local, ech}: NetworkEntry): string {
  const flags = `${tcp ? 't' : ''}${local ? 'p' : ''}${ech ? 'e' : ''}` || '-';
  return `${flags} ${ports.join(',')} ${kind === 'address' ? '@' : ''}${pattern}`;
}

function isAllowed(allow: readonly NetworkEntry[], name: string): boolean {
  return allow.some(
    ({kind, pattern}) =>
      (kind === 'name' || kind === 'below' || kind === 'any') && matchesName(pattern, name),
  );
}
