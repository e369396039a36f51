import {parse} from 'unbash';
import {childrenOf} from './syntax-children.ts';

/**
 * The largest expanded text. ion expands each alias once at each place, and leaves a text unchanged that would grow beyond this.
 */
const maxLength = 65_536;
const maxRounds = 20;

/**
 * Expands aliases as an interactive bash does: the first word of each command, if it is not quoted. ion decides on the result,
 * and bash runs the result, so an alias cannot hide a command from the rules.
 */
export function expandAliases(text: string, aliases: ReadonlyMap<string, string>): string {
  if (aliases.size === 0) return text;
  let expanded = text;
  const used = new Set<string>();
  for (let round = 0; round < maxRounds; round++) {
    const names = commandNames(expanded).filter(({name}) => aliases.has(name) && !used.has(name));
    if (names.length === 0) return expanded;
    // Inserts from the last to the first, so that positions stay valid.
    for (const {name, pos, end} of names.toSorted((one, other) => other.pos - one.pos))
      expanded = expanded.slice(0, pos) + aliases.get(name)! + expanded.slice(end);
    for (const {name} of names) used.add(name);
    if (expanded.length > maxLength) return text;
  }
  return expanded;
}

interface CommandName {
  readonly name: string;
  readonly pos: number;
  readonly end: number;
}

/** The unquoted first word of every simple command, those in substitutions and functions included. */
function commandNames(text: string): readonly CommandName[] {
  const script = parse(text);
  if (script.errors?.length) return [];
  // The key is the position, because a walk may reach a node in two ways.
  const names = new Map<number, CommandName>();
  const pending: unknown[] = [script.commands];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one !== 'object' || one === null) continue;
    const node = one as {type?: string; name?: {text: string; pos: number; end: number}; source?: string};
    // Positions in a script between backticks refer to a text of its own.
    if (node.type === 'Script' && node.source !== undefined) continue;
    if (node.type === 'Command' && node.name && text.slice(node.name.pos, node.name.end) === node.name.text) {
      const {text: name, pos, end} = node.name;
      if (/^[^\s'"\\$`]+$/.test(name)) names.set(pos, {name, pos, end});
    }
    pending.push(...childrenOf(one).map(([, child]) => child));
  }
  return [...names.values()];
}
