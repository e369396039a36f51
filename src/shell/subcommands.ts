import type {Word} from './analysis.ts';
import {globalOptions} from './nested/global-options.ts';
import {scanOptions} from './options.ts';

/** The words after the program's name and its global options: `git -C . push -f` gives `push -f`. */
export function commandWords(argv: readonly Word[], name: string): readonly Word[] {
  if (!Object.hasOwn(globalOptions, name)) return argv.slice(1);
  return argv.slice(scanOptions(argv, 1, globalOptions[name]!).next);
}

/**
 * Reports whether one of the options is present: alone, with a value, or (one letter) combined with others: `-f`,
 * `--force=x`, `-xfd`.
 */
export function hasOption(words: readonly Word[], ...names: readonly string[]): boolean {
  const end = words.findIndex(({text}) => text === '--');
  const options = (end === -1 ? words : words.slice(0, end)).filter(({text}) => text.startsWith('-'));
  return options.some(({text}) => names.some((name) => isOption(text, name)));
}

function isOption(text: string, name: string): boolean {
  if (name.startsWith('--')) return text === name || text.startsWith(`${name}=`);
  if (name.length > 2) return text === name;
  return !text.startsWith('--') && text.includes(name[1]!, 1);
}

export function operandsOf(words: readonly Word[]): Word[] {
  const end = words.findIndex(({text}) => text === '--');
  return words.filter(({text}, index) => index !== end && ((end !== -1 && index > end) || !/^-./.test(text)));
}
