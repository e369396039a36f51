import {analyze} from '../../shell/parse/analyze.ts';
import {expandAliases} from './expand-aliases.ts';
import type {ShellFunction, ShellMemory} from './shell-memory.ts';

/**
 * The command that ion decides on and bash runs: aliases are expanded, and the definitions of functions that the command names
 * stand before it. A function that an earlier command has defined is then judged like one in the same command.
 */
export function effectiveText(text: string, {aliases, functions}: ShellMemory): string {
  const expanded = expandAliases(text, aliases);
  const used = usedFunctions(expanded, functions);
  return [...used.map((one) => one.text), expanded].join('\n');
}

function usedFunctions(text: string, functions: readonly ShellFunction[]): readonly ShellFunction[] {
  const used = new Set<ShellFunction>();
  const pending = functions.length === 0 ? [] : [text];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const words = new Set(analyze(one).segments.flatMap(({argv}) => argv.map((word) => word.text)));
    for (const candidate of functions) {
      if (used.has(candidate) || !words.has(candidate.name)) continue;
      used.add(candidate);
      pending.push(candidate.text);
    }
  }
  return functions.filter((one) => used.has(one));
}
