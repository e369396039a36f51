/** Parses SBPL: the subset of Scheme that ion's profiles use. Throws for anything else. */
export type Expression = Symbolic | Text | readonly Expression[];

export interface Symbolic {
  readonly symbol: string;
}

export interface Text {
  readonly text: string;
}

const token = /\s+|;[^\n]*|\(|\)|#"(?:[^"])*"|"(?:[^"\\\n]|\\["\\])*"|[A-Za-z0-9_*+.<>=!?/-]+/y;

/** The top-level expressions of a profile. Throws for unbalanced brackets and unknown tokens. */
export function parseSbpl(source: string): Expression[] {
  const top: Expression[] = [];
  const open: Expression[][] = [];
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const found = token.exec(source)?.[0];
    if (found === undefined)
      throw new Error(`SBPL: cannot read ${JSON.stringify(source.slice(at, at + 30))}`);
    if (/^[\s;]/.test(found)) continue;
    const into = open.at(-1) ?? top;
    if (found === '(') open.push([]);
    else if (found === ')') close(open, top);
    else into.push(atom(found));
  }
  if (open.length > 0) throw new Error('SBPL: a parenthesis is not closed');
  return top;
}

function close(open: Expression[][], top: Expression[]): void {
  const done = open.pop();
  if (!done) throw new Error('SBPL: a parenthesis too many');
  (open.at(-1) ?? top).push(done);
}

function atom(found: string): Expression {
  // Inside #"" a backslash is literal: these are regular expressions.
  if (found.startsWith('#"')) return {text: found.slice(2, -1)};
  if (found.startsWith('"')) return {text: found.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')};
  return {symbol: found};
}

export function isList(expression: Expression): expression is readonly Expression[] {
  return Array.isArray(expression);
}

export function symbolOf(expression: Expression | undefined): string {
  if (expression && !isList(expression) && 'symbol' in expression) return expression.symbol;
  throw new Error(`SBPL: a symbol is expected, not ${JSON.stringify(expression)}`);
}
