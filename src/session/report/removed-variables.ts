/**
 * Variables that the text of a command names and that were removed from its environment. What a script looks up is
 * unknown. An assignment (`TOKEN=x cmd`) does not count. `removed` are names of variables. Pure.
 */
export function missedVariables(text: string, removed: readonly string[]): string[] {
  return removed.filter((name) => names(text, name));
}

/** Matches whole words. Names of variables are letters, digits and `_`, so the pattern needs no escaping. */
function names(text: string, name: string): boolean {
  return /^\w+$/.test(name) && new RegExp(`(?<!\\w)${name}(?![\\w=])`).test(text);
}
