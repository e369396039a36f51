import {parse} from 'unbash';
import {childrenOf} from '../shell/syntax-children.ts';

/** The word before the cursor. */
export interface WordAt {
  /** Where it begins in the text. */
  readonly from: number;
  /** The word as it is typed, with its quotes. */
  readonly raw: string;
  /** Without quotes. Undefined if it has an expansion: ion does not know its value. */
  readonly value: string | undefined;
  readonly isCommand: boolean;
  readonly quote: '"' | "'" | '';
}

/** Stands for the rest of the word. bash treats it as a letter. */
const rest = '\ue000';

interface Node {
  readonly type?: string;
  readonly pos?: number;
  readonly end?: number;
}

interface ParsedWord extends Node {
  readonly value: string;
  readonly parts?: readonly Node[];
}

/** Finds the word with the grammar of bash: the text before the cursor is parsed with a mark at its end. Pure. */
export function wordAt(text: string, cursor: number): WordAt {
  const before = text.slice(0, cursor);
  for (const quote of ['', '"', "'"] as const) {
    const script = parse(`${before}${rest}${quote}`);
    const unterminated = (script.errors ?? []).some(({message}) =>
      /unterminated (?:single|double) quote/.test(message),
    );
    const found = unterminated ? undefined : innermost(script.commands, cursor);
    if (!found) continue;
    const {word, isCommand} = found;
    const raw = before.slice(word.pos!);
    const plain = (word.parts ?? []).every(({type}) => literal.has(type ?? ''));
    const value = plain && word.value.endsWith(rest) ? word.value.slice(0, -rest.length) : undefined;
    return {from: word.pos!, raw, value, isCommand, quote};
  }
  return {from: cursor, raw: '', value: '', isCommand: false, quote: ''};
}

const literal = new Set(['Literal', 'SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'Glob']);

/** The smallest word that the mark is in. */
function innermost(
  commands: unknown,
  mark: number,
): {readonly word: ParsedWord; readonly isCommand: boolean} | undefined {
  let best: {word: ParsedWord; isCommand: boolean} | undefined;
  const pending: (readonly [node: unknown, isCommand: boolean])[] = [[commands, false]];
  while (pending.length > 0) {
    const [one, isCommand] = pending.pop()!;
    if (typeof one !== 'object' || one === null) continue;
    const node = one as ParsedWord & {name?: unknown};
    const {pos = 0, end = 0} = node;
    if (node.type === 'Word' && pos <= mark && mark < end && (!best || pos >= best.word.pos!))
      best = {word: node, isCommand};
    for (const [key, child] of childrenOf(one))
      pending.push([child, node.type === 'Command' && key === 'name']);
  }
  return best;
}
