import {pathCandidates, programCandidates, type Candidate, type CompletionPlace} from './candidates.ts';
import {insertion} from './insertion.ts';
import {wordAt} from './word-at.ts';

/** The line after a completion. `candidates` are shown if there are several and the line did not change. */
export interface Completed {
  readonly text: string;
  readonly cursor: number;
  readonly candidates: readonly Candidate[];
}

export async function complete(
  text: string,
  cursor: number,
  place: CompletionPlace,
  slashCommands: readonly string[],
): Promise<Completed> {
  const word = wordAt(text, cursor);
  const {from, value, raw} = word;
  if (value === undefined) return {text, cursor, candidates: []};
  const isSlash = from === 0 && raw === value && value.startsWith('/');
  const commands = isSlash ? slashCommands.filter((name) => name.startsWith(value)) : [];
  const candidates =
    commands.length > 0 && value !== '/'
      ? commands.map((one) => ({value: one, isFolder: false}))
      : word.isCommand && !value.includes('/')
        ? value === ''
          ? []
          : await programCandidates(value, place)
        : [
            ...commands.map((one) => ({value: one, isFolder: false})),
            ...(await pathCandidates(value, place, word.isCommand)),
          ];
  const common = commonBeginning(candidates.map((one) => one.value));
  const [only, ...others] = candidates;
  if (!only || common.length < value.length) return {text, cursor, candidates: []};
  const isWhole = others.length === 0 && !only.isFolder;
  const longer = only.isFolder && others.length === 0 ? `${common}/` : common;
  if (longer === value && !isWhole) return {text, cursor, candidates};
  const inserted = insertion(word, longer, isWhole);
  const line = text.slice(0, from) + inserted + text.slice(cursor);
  return {text: line, cursor: from + inserted.length, candidates: others.length === 0 ? [] : candidates};
}

/** Compares whole characters, because half of a surrogate pair is not a character. */
function commonBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
