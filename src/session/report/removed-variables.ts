/**
 * Variables that the text of a command names and that were removed from its environment. By what the text says: what a script looks
 * for is not seen. An assignment (`TOKEN=x cmd`) does not ask for one. `removed`: names of variables. Pure.
 */
export function missedVariables(text: string, removed: readonly string[]): string[] {
  return removed.filter((name) => names(text, name));
}

/** As a whole word: names of variables are letters, digits and `_`, which a pattern takes as they are. */
function names(text: string, name: string): boolean {
  return /^\w+$/.test(name) && new RegExp(`(?<!\\w)${name}(?![\\w=])`).test(text);
}
