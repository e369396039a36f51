import type {Word} from './analysis.ts';
import {scanStrictly} from './safe-options.ts';

const sedOptions = {
  flags:
    'n E r s z u l --quiet --silent --regexp-extended --separate --null-data --unbuffered --posix --sandbox --debug --help --version',
  values: 'e --expression',
};

/** sed prints; its `e`, `w`, `W`, `r`, `R` commands and `s///e`, `s///w` do not. Only print forms are known. */
export function checkSed(words: readonly Word[]): string | undefined {
  const operands = scanStrictly('sed', words, sedOptions);
  if (!Array.isArray(operands)) return operands.why;
  const expressions = expressionsOf(words);
  const scripts = expressions.length > 0 ? expressions : operands.slice(0, 1);
  const [odd] = scripts.filter((script) => !script.literal || !isPrintScript(script.text));
  return odd
    ? `sed script ${JSON.stringify(odd.text)} is not one of the print forms known to be safe`
    : undefined;
}

function expressionsOf(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (const [index, word] of words.entries()) {
    if (word.text === '--') break;
    const attached = /^(?:--expression=|-[nErszu]*e(?=.))/.exec(word.text);
    if (attached) found.push({...word, text: word.text.slice(attached[0].length)});
    else if (/^(?:--expression|-[nErszu]*e)$/.test(word.text) && words[index + 1])
      found.push(words[index + 1]!);
  }
  return found;
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const range = String.raw`(?:${address}(?:,(?:${address}|[+~]\d+))?\s*!?\s*)?`;
const substitute = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#|,(?:[^,\\\n]|\\.)*,(?:[^,\\\n]|\\.)*,)(?:[gpiI]|\d)*`;
const command = String.raw`${range}(?:[pPdDqQ=ngGhHxlN]|${substitute}|[qQ]\d+)`;
const script = new RegExp(`^\\s*${command}(?:\\s*[;\\n]\\s*${command})*\\s*;?\\s*$`);

/** Longer scripts are not looked at: the pattern above is linear on what people type. */
function isPrintScript(text: string): boolean {
  return text.length <= 1000 && script.test(text);
}

const jqOptions = {
  flags:
    'n e s r R c C M S a j 0 --null-input --raw-input --slurp --compact-output --raw-output --raw-output0 --join-output --ascii-output --color-output --monochrome-output --sort-keys --tab --exit-status --seq --stream --unbuffered --help --version',
  values: '--indent',
};

/** jq only prints, but it can read files by option, and the whole environment by name. */
export function checkJq(words: readonly Word[]): string | undefined {
  const kept = withoutArguments(words);
  const operands = scanStrictly('jq', kept, jqOptions);
  if (!Array.isArray(operands)) return operands.why;
  const [filter] = operands;
  if (filter && !filter.literal) return 'a jq filter that is known only when it runs';
  return filter && readsMore.test(filter.text)
    ? 'a jq filter that reads the environment or other files'
    : undefined;
}

/** Not `.env`, which is a key like any other. */
const readsMore =
  /(?<![.\w$"'])env\b(?!\s*:)|\$ENV|\$__prog|\binclude\b|\bimport\b|\binput_filename\b|\bget_search_list\b|\bmodulemeta\b/;

/** `--arg name value` takes two words. */
function withoutArguments(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    if (/^--(arg|argjson)$/.test(words[at]!.text)) at += 2;
    else kept.push(words[at]!);
  }
  return kept;
}
