import {forEachChild, parse} from 'unbash';
import type {Assignment, Command, Redirection, SyntaxNode, Word, WordPart} from 'unbash';
import {evaluates} from './placeholder-programs.ts';

/**
 * `{file}` and `{command}` in a hook's command become environment variables, quoted so that each value stays one word
 * inside any quotes. Values are never pasted into the text: a file named `$(rm -rf ~)` is only a file name.
 *
 * Quotes do not help where bash, or the program that gets the word, reads the value as code (arithmetic, subscripts,
 * here-documents, the text of `bash -c`). There a placeholder is refused. This is an allow-list: every place that is
 * not listed is refused.
 */
export const placeholderVariables = {file: 'ION_FILE', command: 'ION_COMMAND'} as const;

type Quotes = 'none' | 'double' | 'single' | 'ansi';

const expansions: Readonly<Record<Quotes, (variable: string) => string>> = {
  none: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  // Closes the quotes, and opens them again after the value.
  single: (variable) => `'"\${${variable}}"'`,
  ansi: (variable) => `'"\${${variable}}"$'`,
};

/** `${file}` is a variable of the hook's own, not a placeholder. */
const placeholder = /(?<!\$)\{(file|command)\}/g;
/** Replaces a placeholder while the text is parsed: a plain word in every context. */
const mark = /ionPlaceholder(\d+)x/g;

export class PlaceholderError extends Error {}

/** Throws a PlaceholderError where a value could run as code. */
export function expandPlaceholders(command: string): string {
  const names = [...command.matchAll(placeholder)].map(([, name]) => name as 'file' | 'command');
  if (names.length === 0) return command;
  if (command.includes('ionPlaceholder')) throw new PlaceholderError('contains text that ion uses itself');
  let index = 0;
  const marked = command.replaceAll(placeholder, () => `ionPlaceholder${index++}x`);
  const found = quotesAround(marked);
  return marked.replaceAll(mark, (_, number: string) => {
    const name = names[Number(number)]!;
    const quotes = found.get(Number(number));
    if (quotes === undefined)
      throw new PlaceholderError(`has {${name}} in a place where its value could run as code`);
    return expansions[quotes](placeholderVariables[name]);
  });
}

/** The placeholders in places where the value is exactly one word, with the quotes around each. */
function quotesAround(marked: string): ReadonlyMap<number, Quotes> {
  const found = new Map<number, Quotes>();
  const script = parse(marked);
  if ((script.errors ?? []).length === 0) walk(script, found);
  return found;
}

type Found = Map<number, Quotes>;

function walk(node: SyntaxNode, found: Found): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- an allow-list: what is not in it is refused
  switch (node.type) {
    case 'Command':
      return walkCommand(node, found);
    case 'For':
    case 'Select':
      for (const word of node.wordlist ?? []) walkWord(word, found);
      return walk(node.body, found);
    case 'Case':
      walkWord(node.word, found);
      for (const {body} of node.items) walk(body, found);
      return;
    case 'Redirected':
      for (const redirect of node.redirects) walkRedirection(redirect, found);
      return walk(node.command, found);
    case 'TestUnary':
      if (!/^-[vRo]$/.test(node.operator)) walkWord(node.operand, found);
      return;
    case 'TestBinary':
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
      walkWord(node.left, found);
      return walkWord(node.right, found);
    // Words of these nodes are evaluated, or name what is run.
    case 'Word':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'HereDoc':
      return;
    default:
      forEachChild(node, (child) => walk(child, found));
  }
}

function walkCommand({name, prefix, suffix}: Command, found: Found): void {
  for (const part of prefix) {
    if (part.type === 'Assignment') walkAssignment(part, found);
    else walkRedirection(part, found);
  }
  if (name && !holdsMark(name.text)) walkWord(name, found);
  for (const part of suffix)
    if (part.type !== 'Word' && part.type !== 'Assignment') walkRedirection(part, found);
  const words = suffix.filter(
    (part): part is Word | Assignment => part.type === 'Word' || part.type === 'Assignment',
  );
  const operands = words.map((word) => ({
    text: word.type === 'Word' ? word.value : word.text,
    holds: holdsMark(word.text),
    isMark: /^["']*ionPlaceholder\d+x["']*$/.test(word.text),
  }));
  if (evaluates(name?.value ?? '', operands)) return;
  for (const word of words) if (word.type === 'Word') walkWord(word, found);
}

function holdsMark(text: string): boolean {
  return text.search(mark) !== -1;
}

/** An assignment to an array or a subscript is not walked. */
function walkAssignment({value, index}: Assignment, found: Found): void {
  if (index === undefined && value.type === 'Word') walkWord(value, found);
}

function walkRedirection(redirection: Redirection, found: Found): void {
  if (redirection.type !== 'HereDoc' && redirection.target) walkWord(redirection.target, found);
}

function walkWord(word: Word, found: Found): void {
  if (!word.parts) return note(word.text, 'none', found);
  for (const part of word.parts) walkPart(part, found);
}

function walkPart(part: WordPart, found: Found): void {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- an allow-list: what is not in it is refused
  switch (part.type) {
    case 'Literal':
      return note(part.text, 'none', found);
    case 'SingleQuoted':
      return note(part.text, 'single', found);
    case 'AnsiCQuoted':
      return note(part.text, 'ansi', found);
    case 'DoubleQuoted':
      for (const child of part.parts) {
        if (child.type === 'Literal') note(child.text, 'double', found);
        else if (child.type === 'CommandExpansion') walkPart(child, found);
      }
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      if (part.script && (part.script.errors ?? []).length === 0) walk(part.script, found);
      return;
    default:
      return;
  }
}

function note(text: string, quotes: Quotes, found: Found): void {
  for (const [, number] of text.matchAll(mark)) found.set(Number(number), quotes);
}
