import {entryText} from '../../config/network/entry-text.ts';
import {matchesName} from '../../config/network/match-network.ts';
import {hasEntries, type NetworkEntry} from '../../config/network/network-table.ts';
import {renderToml} from '../../config/read/render.ts';
import {locationOf} from '../../config/read/origin.ts';
import type {Settings} from '../../config/settings.ts';
import type {Message} from '../../errors.ts';
import type {RunEvent} from '../../sandbox/run-event.ts';

/** The relay reports as many names at most. */
const reportedAtMost = 512;

/**
 * With `allow = ["*"]`: the names that the run reached, as a list that would have been enough. Undefined without such an entry,
 * or if it was not needed. Pure.
 */
export function reachedMessage(
  {value: network}: Settings['network'],
  events: readonly RunEvent[],
): Message | undefined {
  if (!hasEntries(network)) return undefined;
  const any = network.allow.find(({kind}) => kind === 'any');
  if (!any) return undefined;
  const others = network.allow.filter((entry) => entry !== any);
  const reached = events.filter((event) => event.kind === 'reached');
  const needed = reached.filter(({name, port}) => !others.some((entry) => covers(entry, name, port)));
  if (needed.length === 0) return undefined;
  const list = [...new Set([...others.map(({value}) => value), ...needed.map(shown).sort()])];
  const all = reached.length < reportedAtMost ? '' : ', the first that were reported';
  return {
    text: `reached by "*": ${needed.length} ${needed.length === 1 ? 'name' : 'names'}${all}`,
    at: locationOf(any.origin),
    help: `instead of "*": sandbox.network.allow = ${renderToml(list, Infinity)}`,
  };
}

function covers({pattern, ports}: NetworkEntry, name: string, port: number): boolean {
  return ports.includes(port) && matchesName(pattern, name);
}

function shown({name, port}: {readonly name: string; readonly port: number}): string {
  return entryText({pattern: name, kind: 'name', ports: [port], tcp: false});
}
