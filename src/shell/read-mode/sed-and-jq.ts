import type {Word} from '../analysis.ts';
import {scanStrictly} from './safe-options.ts';

/** Not `l`: GNU's takes the next word as its value (`sed -l 1p '1e id'` runs `id`), BSD's does not. */
export const sedOptions = {
  flags:
    'n E r s z u --quiet --silent --regexp-extended --separate --null-data --unbuffered --posix --sandbox --debug --help --version',
  values: 'e --expression --line-length',
};

/**
 * sed prints, but its commands `e`, `w`, `W`, `r`, `R`, `s///e` and `s///w` do more. Only known forms that print are safe.
 */
export function checkSed(words: readonly Word[]): string | undefined {
  const scan = scanStrictly('sed', words, sedOptions);
  if ('why' in scan) return scan.why;
  const expressions = expressionsOf(words);
  const scripts = expressions.length > 0 ? expressions : scan.operands.slice(0, 1);
  const [odd] = scripts.filter((script) => !isPrintScript(textOf(script)));
  return odd
    ? `sed script ${JSON.stringify(odd.text)} is not one of the print forms known to be safe`
    : undefined;
}

/** sed treats all numbers alike. Where a negative number is invalid, it reports an error. */
function textOf({literal, text, numbers, pieces = []}: Word): string | undefined {
  if (literal) return text;
  return numbers ? pieces.map((piece) => piece ?? '1').join('') : undefined;
}

function expressionsOf(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.text === '--') break;
    const attached = /^(?:--expression=|-[nErszu]*e(?=.))/.exec(word.text);
    if (attached) found.push({...word, text: word.text.slice(attached[0].length)});
    else if (/^(?:--expression|-[nErszu]*e)$/.test(word.text) && words[at + 1]) found.push(words[++at]!);
    else if (word.text === '--line-length') at++;
  }
  return found;
}

/**
 * For newer versions of sed, a delimiter in a bracket expression is a plain character: `s/[/x]/;s/e;#/` runs what it
 * prints. So it must be escaped there.
 */
const bracket = (end: string): string => {
  const item = String.raw`(?:[^\][\\${end}\n]|\\[^\][\n]|\[:[a-z]+:\])`;
  return String.raw`\[(?:\^|(?!\^))(?:\]|${item})${item}*\]`;
};
const pattern = (end: string): string => String.raw`(?:[^${end}[\\\n]|\\.|${bracket(end)})*`;
const address = String.raw`(?:\d+(?:~\d+)?|\$|/${pattern('/')}/I?)`;
const range = String.raw`(?:${address}(?:,(?:${address}|[+~]\d+))?\s*!?\s*)?`;
const changes = ['/', '|', '#', ','].map(
  (end) => String.raw`[${end}]${pattern(end)}[${end}](?:[^${end}\\\n]|\\.)*[${end}]`,
);
const substitute = String.raw`s(?:${changes.join('|')})(?:[gpiI]|\d)*`;
const command = String.raw`${range}(?:[pPdDqQ=ngGhHxlN]|${substitute}|[qQ]\d+)`;
const script = new RegExp(`^\\s*${command}(?:\\s*[;\\n]\\s*${command})*\\s*;?\\s*$`);

/** Longer scripts are refused: the pattern above is linear only on scripts that people type. */
function isPrintScript(text: string | undefined): boolean {
  return text !== undefined && text.length <= 1000 && script.test(text);
}

export const jqOptions = {
  flags:
    'n e s r R c C M S a j --null-input --raw-input --slurp --compact-output --raw-output --raw-output0 --join-output --ascii-output --color-output --monochrome-output --sort-keys --tab --exit-status --seq --stream --unbuffered --help --version',
  values: '--indent',
};

/** jq only prints, but options make it read other files, and some names read the whole environment. */
export function checkJq(words: readonly Word[]): string | undefined {
  const kept = withoutArguments(words);
  const scan = scanStrictly('jq', kept, jqOptions);
  if ('why' in scan) return scan.why;
  const [filter] = scan.operands;
  if (filter && !filter.literal) return 'a jq filter that is known only when it runs';
  return filter && readsMore.test(filter.text)
    ? 'a jq filter that reads the environment or other files'
    : undefined;
}

/** Not `.env`, which is an ordinary key. */
const readsMore =
  /(?<![.\w$"'])env\b(?!\s*:)|\$ENV|\$__prog|\binclude\b|\bimport\b|\binput_filename\b|\bget_search_list\b|\bmodulemeta\b/;

/** `--arg name value` takes two words. But it may itself be a value (`--indent --arg`) or an operand. */
function withoutArguments(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const {text} = words[at]!;
    if (text === '--') return [...kept, ...words.slice(at)];
    if (/^--(arg|argjson)$/.test(text)) at += 2;
    else if (text === '--indent') kept.push(...words.slice(at, ++at + 1));
    else kept.push(words[at]!);
  }
  return kept;
}
