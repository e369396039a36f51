// A module of our own around the CommonJS package: a lazy `import('shell-quote')` has no named exports in a split build.
import {quote} from 'shell-quote';

export {quote};

/** A text as one word for bash, on one line: shell-quote leaves line breaks and what moves the cursor as they are. */
export function shellWord(text: string): string {
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return quote([text]);
  const escaped = text.replaceAll(
    /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
  return `$'${escaped}'`;
}
