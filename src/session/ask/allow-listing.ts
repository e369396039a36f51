import {renderToml} from '../../config/read/render.ts';
import type {Proposal} from '../report/proposals.ts';

/** An entry as a line of TOML that can be pasted into a config. TOML's strings escape text from outside. */
export function entryLine({key, value}: Pick<Proposal, 'key' | 'value'>): string {
  return `${key} = ${renderToml(key === 'sandbox.network' ? value : [value], Infinity)}`;
}

/** Groups entries by the chain of programs that asked, in the order in which each chain first did. */
export function byChain(entries: readonly Proposal[]): ReadonlyMap<string, readonly Proposal[]> {
  const groups = new Map<string, Proposal[]>();
  for (const entry of entries) groups.set(entry.chain, [...(groups.get(entry.chain) ?? []), entry]);
  return groups;
}

export const firstList = (entries: readonly Proposal[]): Proposal[] =>
  entries.filter(({beware}) => beware === undefined);
export const secondList = (entries: readonly Proposal[]): Proposal[] =>
  entries.filter(({beware}) => beware !== undefined);

/** The entries that would be written, as TOML, with the programs that asked for each. */
export function listing(entries: readonly Proposal[], file: string): string {
  const [first, second] = [firstList(entries), secondList(entries)];
  return [
    `# would be written to ${file}`,
    ...groupLines(first),
    ...(second.length > 0 ? ['# not part of "all": look at each of these', ...groupLines(second)] : []),
    '',
  ].join('\n');
}

function groupLines(entries: readonly Proposal[]): string[] {
  return [...byChain(entries)].flatMap(([chain, group]) => [
    `# ${chain}${group.some(({failed}) => failed) ? ', which failed' : ''}`,
    ...group.map(
      (entry) =>
        `${entryLine(entry)}  # ${[...ofBeware(entry), ...(entry.makes ? [`ion makes this ${entry.makes}`] : []), idsOf(entry)].join('; ')}`,
    ),
  ]);
}

function ofBeware({beware}: Proposal): string[] {
  return beware === undefined ? [] : [beware];
}

function idsOf({ids}: Proposal): string {
  return ids.length > 1 ? `${ids[0]} and ${ids.length - 1} more` : ids[0]!;
}
