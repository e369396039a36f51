import {quoted} from '../../errors.ts';
import type {Proposal} from '../report/proposals.ts';
import {byChain, entryLine, firstList, secondList} from './allow-listing.ts';
import {fitted, type Size} from './fitted.ts';
import type {Terminal} from './terminal.ts';

/** Enough time to read a list. */
const timeoutMs = 600_000;
/** With more entries than this, ion asks for whole chains first. */
const singlyAtMost = 20;

type Reply = 'yes' | 'all' | 'each' | 'no';

const words: Readonly<Record<string, Reply>> = {
  y: 'yes',
  yes: 'yes',
  a: 'all',
  all: 'all',
  e: 'each',
  each: 'each',
  n: 'no',
  no: 'no',
  '': 'no',
};
const labels: Readonly<Record<Reply, string>> = {
  yes: 'y yes',
  all: 'a all of the first list',
  each: 'e ask for each of them',
  no: 'N no',
};

/**
 * Asks for each entry. In the first list, "all" accepts the remaining ones. With many entries it asks for the chains
 * first: yes accepts the entries of the chain if all of them fit the screen. Every entry of the second list is asked
 * for separately. No answer ends the questions.
 */
export async function askForEach(
  entries: readonly Proposal[],
  terminal: Terminal,
  workspace: string,
): Promise<Proposal[]> {
  const many = entries.length > singlyAtMost;
  const [first, second] = [firstList(entries), secondList(entries)];
  const accepted: Proposal[] = [];
  const chosen = many ? await ofChains(first, terminal, workspace, true) : {taken: [], asked: first};
  if (!chosen) return accepted;
  accepted.push(...chosen.taken);
  for (const [index, entry] of chosen.asked.entries()) {
    const reply = await ask(terminal, question([entry], workspace), ['yes', 'all', 'no']);
    if (reply === undefined) return accepted;
    if (reply === 'all') {
      accepted.push(...chosen.asked.slice(index));
      break;
    }
    if (reply === 'yes') accepted.push(entry);
  }
  const others = many ? await ofChains(second, terminal, workspace, false) : {asked: second};
  for (const entry of others?.asked ?? []) {
    const reply = await ask(terminal, question([entry], workspace), ['yes', 'no']);
    if (reply === undefined) return accepted;
    if (reply === 'yes') accepted.push(entry);
  }
  return accepted;
}

/** Undefined if there was no answer. */
async function ofChains(
  entries: readonly Proposal[],
  terminal: Terminal,
  workspace: string,
  mayTake: boolean,
): Promise<{taken: Proposal[]; asked: Proposal[]} | undefined> {
  const taken: Proposal[] = [];
  const asked: Proposal[] = [];
  for (const group of byChain(entries).values()) {
    const offered: Reply[] = mayTake ? ['yes', 'each', 'no'] : ['each', 'no'];
    const reply = await ask(terminal, question(group, workspace), offered);
    if (reply === undefined) return undefined;
    if (reply === 'yes') taken.push(...group);
    if (reply === 'each') asked.push(...group);
  }
  return {taken, asked};
}

interface Question {
  readonly text: string;
  /** Some of it is not on the screen. Then it cannot be granted. */
  readonly cut: boolean;
}

/** Every text from outside is escaped and follows a mark of ion's own. */
export function question(group: readonly Proposal[], workspace: string): (size: Size) => Question {
  return (size) => {
    const {rows, cut} = fitted(group.map(entryLine), size, Math.floor(size.rows / 2));
    const beware = [...new Set(group.map((entry) => entry.beware))].filter((one) => one !== undefined);
    const lines = [
      `ion: allow this in ${quoted(workspace)}?`,
      ...rows,
      `  asked by ${group[0]!.chain}`,
      ...group
        .filter(({makes}) => makes)
        .map(({value, makes}) => `  ion makes the ${makes} ${quoted(value)}`),
      ...beware.map((one) => `  careful: ${one}`),
    ];
    return {text: lines.join('\n'), cut};
  };
}

async function ask(
  terminal: Terminal,
  made: (size: Size) => Question,
  offered: readonly Reply[],
): Promise<Reply | undefined> {
  let allowed = offered;
  const text = (size: Size): string => {
    const {text: shown, cut} = made(size);
    allowed = cut ? offered.filter((one) => one === 'each' || one === 'no') : offered;
    return `${shown}\n${cut ? '  too long for this terminal: write it into the file yourself\n' : ''}${ending(allowed)}`;
  };
  const replyIn = (line: string): Reply | undefined => {
    const word = line.trim().toLowerCase();
    const reply = Object.hasOwn(words, word) ? words[word] : undefined;
    return reply !== undefined && allowed.includes(reply) ? reply : undefined;
  };
  const {line} = await terminal.readLine(text, timeoutMs, (typed) =>
    replyIn(typed) === undefined
      ? `ion: ${quoted(typed.trim(), 40)} is not one of the answers\n${ending(allowed)}`
      : undefined,
  );
  return line === undefined ? undefined : replyIn(line);
}

function ending(offered: readonly Reply[]): string {
  return `${offered.map((one) => labels[one]).join(' / ')}: `;
}
