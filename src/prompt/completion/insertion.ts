import {shellWord} from '../../shell/quote.ts';
import type {WordAt} from './word-at.ts';

/** The word with a completed value, quoted as the user began it. `isWhole`: nothing more follows in this word. Pure. */
export function insertion(word: Pick<WordAt, 'quote' | 'raw'>, value: string, isWhole: boolean): string {
  if (/\p{Cc}/u.test(value)) return shellWord(value) + (isWhole ? ' ' : '');
  const end = isWhole ? `${word.quote} ` : '';
  if (word.quote === '"') return `"${value.replaceAll(/["$`\\]/g, '\\$&')}${end}`;
  if (word.quote === "'" && !value.includes("'")) return `'${value}${end}`;
  const head = /^~[\w.-]*(?:\/|$)/.exec(value)?.[0] ?? '';
  const isTyped = head !== '' && word.raw.startsWith('~');
  const rest = isTyped ? value.slice(head.length) : value;
  return `${isTyped ? head : ''}${rest.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')}${isWhole ? ' ' : ''}`;
}
