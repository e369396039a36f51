// Wraps the CommonJS package: a lazy `import('shell-quote')` has no named exports in a split build.
import {quote} from 'shell-quote';

export {quote};

/**
 * Quotes a text as one word for bash, on one line. shell-quote itself keeps line breaks and characters that move the
 * cursor.
 */
export function shellWord(text: string): string {
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return quote([text]);
  const escaped = text.replaceAll(
    /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
  return `$'${escaped}'`;
}
