import {parse, type ArithmeticWord, type Word, type WordPart} from 'unbash';

/** What is text for the parser in a word: quoted or not, without what is expanded. */
export function quotedText({value, parts}: Word | ArithmeticWord): string {
  return parts ? parts.map(textOf).join('') : value;
}

function textOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.map(textOf).join('');
  return 'value' in part ? part.value : '';
}

/**
 * The parser takes digits and `{name}` before `<(` for a descriptor, and then the whole for a plain word. For bash they are
 * the beginning of a word with a process substitution in it: `echo 1<(cmd)` runs cmd.
 */
export function hiddenSubstitution(text: string): string | undefined {
  const [before] = /^(?:\d+|\{[A-Za-z_]\w*(?:\[[^]*\])?\})(?=[<>]\()/.exec(text) ?? [];
  return before === undefined ? undefined : text.slice(before.length);
}

const maxSubstitutions = 16;

/** The substitutions in a text, each as the parser reads it where nothing stands before it. */
export function substitutionsIn(text: string): string[] {
  const starts = [...text.matchAll(/\$\(|`/g)].slice(0, maxSubstitutions);
  return starts.flatMap(({index}) => {
    const command = parse(`: ${text.slice(index)}`).commands[0]?.command;
    const first = command?.type === 'Command' ? command.suffix[0] : undefined;
    const part = first?.type === 'Word' ? first.parts?.[0] : undefined;
    return part?.type === 'CommandExpansion' ? [part.text] : [];
  });
}
