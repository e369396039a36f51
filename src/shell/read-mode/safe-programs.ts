import type {Word} from '../analysis.ts';
import {startsPlainly} from './safe-words.ts';

type Words = readonly Word[];

/**
 * less shows a file, and runs the commands after a plus sign: `less '+!cmd' f`. On a terminal, LESSSECURE prevents other
 * commands.
 */
export function checkLess(words: Words): string | undefined {
  for (const word of words) {
    if (word.literal ? /^\+(?!\d*[gGF]?$|\d+$)/.test(word.text) : !startsPlainly(word) || isFound(word))
      return `less with ${JSON.stringify(word.raw)}, which may be a command of its own`;
  }
  return undefined;
}

const isFound = ({expansions}: Word): boolean => expansions?.[0] === 'found';

const npmFlags = /^(?:--(?:depth=\d+|all|json|long|parseable|prod|omit=dev|link|global)|-a|-g|-l)$/;

/**
 * Nearly every subcommand of npm runs scripts of the project. Listing the installed packages only reads package.json files.
 */
export function checkNpm([first, ...others]: Words): string | undefined {
  const words = first ? [first, ...others] : [];
  if (words.length === 1 && /^(?:--version|-v)$/.test(first!.text)) return undefined;
  const odd = words.find(({literal}) => !literal);
  if (odd) return 'npm with a word that is known only when it runs';
  if (!/^(?:ls|list|ll|la)$/.test(first?.text ?? ''))
    return `npm ${first?.text ?? ''} may run scripts or use the network: npm ls and npm --version are safe`;
  const option = others.find(({text}) => text.startsWith('-') && !npmFlags.test(text));
  return option && `npm ls ${option.text} is not among the options known to be safe`;
}

/** dpkg's queries. Every other option changes the installed packages. */
export function checkDpkg([first, ...others]: Words): string | undefined {
  const asks =
    /^(?:-l|-L|-S|-s|-W|-p|--list|--listfiles|--search|--status|--show|--get-selections|--print-architecture)$/;
  if (!first?.literal || !asks.test(first.text)) return 'dpkg may change what is installed';
  const option = others.find(({text}) => text.startsWith('-') && !/^(?:-f=?|--showformat=)/.test(text));
  return option && `dpkg ${option.text} is not among the options known to be safe`;
}
