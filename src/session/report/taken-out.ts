import {quoted, type Message} from '../../errors.ts';

/**
 * A closing line for a run that failed: variables that its text names and that were taken out of its environment. By what the text
 * says: what a script looks for is not seen. An assignment (`TOKEN=x cmd`) does not ask for one. `removed`: names of variables.
 */
export function takenOutMessage(text: string, removed: readonly string[]): Message | undefined {
  const named = removed.filter((name) => names(text, name));
  if (named.length === 0) return undefined;
  const list = named.map((name) => quoted(name));
  return {
    text: `the command did not get ${list.join(', ')}: environment.exclude takes out what is called like a secret`,
    help: `environment.keep = [${list.join(', ')}] in ~/.ion/config.toml hands ${named.length === 1 ? 'it' : 'them'} on`,
  };
}

/** As a whole word: names of variables are letters, digits and `_`, which a pattern takes as they are. */
function names(text: string, name: string): boolean {
  return /^\w+$/.test(name) && new RegExp(`(?<!\\w)${name}(?![\\w=])`).test(text);
}
