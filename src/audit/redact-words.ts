/** A text, with the position of each of its characters in the text that it was taken from. */
export interface Source {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

export interface Word extends Source {
  /** Part of it was quoted or escaped, so it may be a command or a document of its own. */
  readonly quoted: boolean;
}

export function sourceOf(text: string, offset = 0): Source {
  const starts = Array.from(text, () => 0);
  starts.length = text.length;
  for (let at = 0; at < text.length; at++) starts[at] = offset + at;
  return {text, starts, ends: starts.map((at) => at + 1)};
}

/** Stands for an operator between commands. A redirection only ends a word. */
export const separator = Symbol('separator');

const blanks: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'};

/**
 * The words of a text, without quotes and backslashes. It knows bash's quotes, and those that ion puts around a text
 * in a message (errors.ts). This is not a parser: it reads any text in one pass, such as a message or half a command.
 * A quote that is not closed extends to the end.
 */
export function wordsOf(source: Source): (Word | typeof separator)[] {
  const {text} = source;
  const words: (Word | typeof separator)[] = [];
  let word: {text: string; starts: number[]; ends: number[]; quoted: boolean} | undefined;
  let quote = '';
  const take = (character: string, from: number, to: number): void => {
    word ??= {text: '', starts: [], ends: [], quoted: false};
    word.text += character;
    word.starts.push(source.starts[from]!);
    word.ends.push(source.ends[to]!);
  };
  const end = (): void => {
    if (word) words.push(word);
    word = undefined;
  };
  const mark = (): void => {
    word ??= {text: '', starts: [], ends: [], quoted: false};
    word.quoted = true;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      mark();
      const next = text[++at]!;
      if (next === '\n' && quote !== '$') continue; // a line continuation
      take(quote === '' ? next : (blanks[next] ?? next), at - 1, at);
    } else if (quote !== '') {
      if (character === (quote === '$' ? "'" : quote)) quote = '';
      else take(character, at, at);
    } else if (character === '"' || character === "'") {
      mark();
      quote = character;
    } else if (character === '$' && (text[at + 1] === "'" || text[at + 1] === '"')) {
      mark();
      quote = text[++at] === "'" ? '$' : '"';
    } else if (/[\s;|&()<>]/.test(character)) {
      end();
      if (/[\n;|&()]/.test(character)) words.push(separator);
    } else {
      take(character, at, at);
    }
  }
  end();
  return words;
}
