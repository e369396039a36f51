import {analyze} from '../../shell/parse/analyze.ts';
import {expandAliases} from './expand-aliases.ts';
import type {ShellFunction, ShellMemory} from './shell-memory.ts';

/**
 * The text that ion decides on and bash runs: the command with its aliases expanded, after the definitions of the functions that
 * it names. So ion judges a function of an earlier command like one of the same command.
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
