import {parse, type Command} from 'unbash';
import type {ShellFunction} from './shell-memory.ts';

const plainName = /^[\w.:@%+,/-]+$/;

/**
 * Parses the output of `declare -f`: function definitions, and `declare -fx NAME` after an exported one. Undefined if it holds
 * anything else.
 */
export function parseFunctions(text: string): readonly ShellFunction[] | undefined {
  if (text.trim() === '') return [];
  const script = parse(text);
  if (script.errors?.length) return undefined;
  const texts = new Map<string, string>();
  const exported = new Set<string>();
  for (const {command, pos, end, background} of script.commands) {
    if (background) return undefined;
    if (command.type === 'Function') {
      const name = command.name.value;
      if (!plainName.test(name)) return undefined;
      texts.set(name, text.slice(pos, end));
      continue;
    }
    const name = command.type === 'Command' ? exportedBy(command) : undefined;
    if (name === undefined) return undefined;
    exported.add(name);
  }
  return [...texts].map(([name, definition]) => ({name, text: definition, exported: exported.has(name)}));
}

/** The name in `declare -fx NAME`. */
function exportedBy({name, prefix, suffix}: Command): string | undefined {
  const [options, named, ...others] = suffix.map((one) => ('text' in one ? one.text : ''));
  if (name?.text !== 'declare' || prefix.length + others.length > 0 || named === undefined) return undefined;
  return /^-f[xtr]+$/.test(options!) && plainName.test(named) ? named : undefined;
}
