/**
 * Rewrites a script for shells without `$'…'`, `$"…"` and `((…))`, so that bash's grammar reads it as such a shell does.
 * For dash, `$'\'; cmd #'` ends at the second quote, and `((cmd))` is two subshells.
 */
export function asPosix(text: string): string {
  if (!/\$['"]|\(\(/.test(text)) return text;
  let result = '';
  // The constructs around the scan position, innermost last: a quote, or a substitution that contains code.
  const within: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const inside = within.at(-1);
    if (inside === "'") {
      if (character === "'") within.pop();
      result += character;
    } else if (character === '\\') {
      result += text.slice(at, at + 2);
      at++;
    } else if (character === '$' && /['"]/.test(text[at + 1] ?? '') && inside !== '"') {
      // This is not "$", because the parser may take that quote for the end of another one: "${x:-'$(cmd $'a')'}".
      result += within.includes('`') ? `"$"` : '\\$';
    } else if (character === '(' && text[at + 1] === '(' && inside !== '"') {
      result += '( ';
      within.push(')');
    } else {
      result += character;
      enter(within, character, text[at - 1]);
    }
  }
  return result;
}

function enter(within: string[], character: string, before: string | undefined): void {
  const inside = within.at(-1);
  if (character === inside) within.pop();
  else if (character === '"' || character === '`') within.push(character);
  else if (character === "'" && inside !== '"') within.push(character);
  else if (character === '(' && (inside !== '"' || before === '$')) within.push(')');
}
