import {parse, type ArithmeticWord, type Word, type WordPart} from 'unbash';

/** The text of a word as the parser sees it, quoted or not, without expansions. */
export function quotedText({value, parts}: Word | ArithmeticWord): string {
  return parts ? parts.map(textOf).join('') : value;
}

function textOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.map(textOf).join('');
  return 'value' in part ? part.value : '';
}

/**
 * The parser reads digits and `{name}` before `<(` as a descriptor, and then the whole as a plain word. bash reads them as the
 * start of a word with a process substitution: `echo 1<(cmd)` runs cmd.
 */
export function hiddenSubstitution(text: string): string | undefined {
  const [before] = /^(?:\d+|\{[A-Za-z_]\w*(?:\[[^]*\])?\})(?=[<>]\()/.exec(text) ?? [];
  return before === undefined ? undefined : text.slice(before.length);
}

const maxSubstitutions = 16;

/** The substitutions in a text, each as the parser reads it without any text before it. */
export function substitutionsIn(text: string): string[] {
  const starts = [...text.matchAll(/\$\(|`/g)].slice(0, maxSubstitutions);
  return starts.flatMap(({index}) => {
    const command = parse(`: ${text.slice(index)}`).commands[0]?.command;
    const first = command?.type === 'Command' ? command.suffix[0] : undefined;
    const part = first?.type === 'Word' ? first.parts?.[0] : undefined;
    return part?.type === 'CommandExpansion' ? [part.text] : [];
  });
}
