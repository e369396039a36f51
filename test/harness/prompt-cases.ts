import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {isWhole} from './extent.ts';
import {testers, type Identity} from './identity.ts';
import {requireProgram} from './must-run.ts';
import {ionFile} from './package.ts';
import {until} from './processes.ts';
import {openPty, type PtyTerminal} from './pty.ts';
import {makeScratch, type Scratch} from './scratch.ts';

/** The keys of a user at the prompt, and the text that the terminal then shows. */
export interface PromptCase {
  readonly name: string;
  readonly needs?: readonly string[];
  /** The line that starts ion. */
  readonly start?: string;
  readonly config?: string;
  /** It needs a status line, keys or a full screen, which a dumb terminal does not have. */
  readonly movesCursor?: true;
  /** Only in the whole suite: `npm test` has little time for terminals. */
  readonly isSlow?: true;
  readonly run: (terminal: PtyTerminal, scratch: Scratch) => Promise<void>;
}

interface Kind {
  readonly columns: number;
  readonly term: string;
}

const kinds: readonly Kind[] = [40, 120].flatMap((columns) => [
  {columns, term: 'xterm'},
  {columns, term: 'dumb'},
]);

/** In the whole suite each case runs on every kind of terminal; in `npm test` on one, in turn. */
export function testPrompt(area: string, cases: readonly PromptCase[]): void {
  const chosen = cases.filter(({isSlow}) => isWhole || !isSlow);
  for (const as of testers)
    chosen.forEach((one, at) => {
      const fitting = kinds.filter(({term}) => term !== 'dumb' || !one.movesCursor);
      for (const kind of isWhole ? fitting : [fitting[at % fitting.length]!])
        test(`${area}: ${one.name} on ${kind.columns} columns, ${kind.term} (${as.name})`, (t) =>
          onPrompt(t, as, kind, one));
    });
}

async function onPrompt(t: TestContext, as: Identity, {columns, term}: Kind, one: PromptCase): Promise<void> {
  const {needs = [], start = 'ion', config, run} = one;
  if (!requireProgram(t, ...needs)) return;
  const scratch = makeScratch(t, as, config === undefined ? {} : {'~/.ion/config.toml': config});
  const argv = ['bash', '--norc', '--noprofile', '-i'];
  const terminal = openPty(scratch, as, {columns, env: {TERM: term}, argv});
  try {
    terminal.line(`PS1='$ '; ion() { '${process.execPath}' '${ionFile}' "$@"; }; ${start}`);
    await terminal.shows('/help lists');
    await waits(terminal);
    await run(terminal, scratch);
  } finally {
    await terminal.close();
  }
}

/** Waits for an empty line of the prompt. */
export async function waits(terminal: PtyTerminal): Promise<void> {
  await until('an empty prompt', () => /[#$] ?(?:\n \w+ ·[^\n]*)?\s*$/.test(terminal.screen())).catch(() =>
    assert.fail(`no prompt; the terminal shows:\n${terminal.screen()}`),
  );
}

/** Runs a line and waits for what it prints and for the next prompt. The output is computed, so the echo cannot match. */
export async function runs(terminal: PtyTerminal, line: string, prints: string | RegExp): Promise<void> {
  await waits(terminal);
  terminal.line(line);
  await terminal.shows(prints);
  await waits(terminal);
}

/** Keys that arrive before a question, and shortly after it, do not count. */
export function pause(ms = 600): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Answers the question that is open. A busy ion may drop a key as typed too early. */
export async function answers(terminal: PtyTerminal, key: string): Promise<void> {
  const echoed = (): boolean => terminal.screen().trimEnd().endsWith(`: ${key}`);
  await until('a question', () => /\?[^:?]*: *\n*$/.test(terminal.screen().trimEnd() + ' ')).catch(() =>
    assert.fail(`no question; the terminal shows:\n${terminal.screen()}`),
  );
  for (let tries = 0; tries < 5; tries++) {
    await pause();
    terminal.type(key);
    if (await until('the echo', echoed, 3000).catch(() => false)) break;
  }
  terminal.keys('Enter');
}
