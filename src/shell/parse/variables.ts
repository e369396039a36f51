import type {Assignment, Word as ParsedWord, WordPart} from 'unbash';
import type {Word} from '../analysis.ts';
import {assignmentWord, plainWord} from './words.ts';
import {embedded} from './embedded.ts';
import type {Position, Run} from './parse-run.ts';
import {spanIn} from './source.ts';

const maxValues = 8;
const maxLength = 4096;
const maxDormant = 100;

/** Records a value that a variable may hold, to find `c=rm; $c -rf`. The order of commands is ignored: all values count. */
export function assigned(run: Run, name: string, value: ParsedWord, place: Position): void {
  const values = run.variables.get(name) ?? [];
  for (const text of resolved(run, value, place) ?? []) {
    const script = embedded(text);
    if (script !== undefined && run.dormant.length < maxDormant) {
      const whole = spanIn(place.source, value.pos, value.end);
      run.dormant.push({source: {text: script, whole}, place});
    }
    if (values.length < maxValues && text.length <= maxLength && !values.includes(text)) values.push(text);
  }
  run.variables.set(name, values);
}

/** The texts that a word may become, if all variables and parameters in it are known. */
export function resolved(run: Run, word: ParsedWord, place: Position): string[] | undefined {
  return word.parts ? joined(run, word.parts, place) : [word.value];
}

function joined(run: Run, parts: readonly WordPart[], place: Position): string[] | undefined {
  let texts = [''];
  for (const part of parts) {
    const next = resolvePart(run, part, place);
    if (!next || texts.length * next.length > maxValues) return undefined;
    texts = texts.flatMap((text) => next.map((more) => text + more));
    if (texts.some((text) => text.length > maxLength)) return undefined;
  }
  return texts;
}

function resolvePart(run: Run, part: WordPart, place: Position): string[] | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted')
    return [part.value];
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return joined(run, part.parts, place);
  if (part.type === 'CommandExpansion') return part.script?.commands.length === 0 ? [''] : undefined;
  if (part.type === 'SimpleExpansion') return lookUp(run, part.text.slice(1), place);
  if (part.type !== 'ParameterExpansion' || part.operation || part.prefix) return undefined;
  return lookUp(run, part.parameter, place);
}

/** Expansions that can separate letters invisibly: `git${IFS}push`, `gi$@t`. */
const builtinValues: ReadonlyMap<string, string[]> = new Map([
  ['IFS', [' ']],
  ...'@*123456789'.split('').map((name): [string, string[]] => [name, ['']]),
]);

function lookUp(run: Run, name: string, {parameters}: Position): string[] | undefined {
  if (/^\d$/.test(name) && parameters) {
    const word = parameters[Number(name)];
    return word?.literal ? [word.text] : undefined;
  }
  if ((name === '@' || name === '*') && parameters) {
    const words = parameters.slice(1);
    return words.every((word) => word.literal) ? [words.map((word) => word.text).join(' ')] : undefined;
  }
  const values = run.variables.get(name) ?? builtinValues.get(name);
  return values && values.length > 0 ? values : undefined;
}

/** The argument lists that a command may get from the values of its variables. */
export function substituted(
  run: Run,
  parsed: readonly (ParsedWord | Assignment)[],
  place: Position,
): Word[][] {
  const known = parsed.map((part) =>
    part.type === 'Word' && hasVariable(part) ? resolved(run, part, place) : undefined,
  );
  // Most variables are unknown. Then there is nothing to insert.
  if (known.every((texts) => texts === undefined)) return [];
  let lists: Word[][] = [[]];
  for (const [at, part] of parsed.entries()) {
    const texts = known[at];
    if (!texts) {
      for (const list of lists) list.push(unchanged(part, place));
      continue;
    }
    if (lists.length * texts.length > maxValues) return [];
    const choices = texts.map((text) => asWords(text, part as ParsedWord, place));
    lists = choices.length === 1 ? lists : lists.flatMap((list) => choices.map(() => [...list]));
    for (const [index, list] of lists.entries()) list.push(...choices[index % choices.length]!);
  }
  return lists;
}

const unchanged = (part: ParsedWord | Assignment, {source}: Position): Word =>
  part.type === 'Word' ? plainWord(part, source) : assignmentWord(part, source);

const isExpansion = (part: WordPart): boolean =>
  part.type === 'SimpleExpansion' ||
  part.type === 'ParameterExpansion' ||
  (part.type === 'CommandExpansion' && part.script?.commands.length === 0) ||
  (part.type === 'DoubleQuoted' && part.parts.some(isExpansion));

const hasVariable = (word: ParsedWord): boolean => word.parts?.some(isExpansion) ?? false;

/** bash splits an unquoted expansion into words. `"$@"` also gives one word per parameter. */
function asWords(text: string, parsed: ParsedWord, place: Position): Word[] {
  const {raw, span} = plainWord(parsed, place.source);
  const splits =
    parsed.parts?.some((part) => part.type !== 'DoubleQuoted' && isExpansion(part)) || raw === '"$@"';
  const texts = splits ? text.split(/[ \t\n]+/).filter((word) => word !== '') : [text];
  return texts.map((word) => ({text: word, raw, span, literal: true}));
}
