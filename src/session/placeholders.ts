/**
 * `{file}` and `{command}` in a hook's command become expansions of environment variables, quoted so that the value
 * stays one word whatever quotes stand around the placeholder. No value is ever pasted into the text: a file named
 * `$(rm -rf ~)` is a file name and nothing else.
 *
 * In a here-document with a quoted delimiter bash expands nothing; there the expansion's own text is what is read.
 */
export const placeholderVariables = {file: 'ION_FILE', command: 'ION_COMMAND'} as const;

/** `tick` is a command substitution in backquotes; within it the text is plain. */
type State = 'plain' | 'tick' | 'double' | 'single' | 'ansi';

const expansions: Readonly<Record<State, (variable: string) => string>> = {
  plain: (variable) => `"\${${variable}}"`,
  tick: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  // Out of the quotes, and in again.
  single: (variable) => `'"\${${variable}}"'`,
  ansi: (variable) => `'"\${${variable}}"$'`,
};

export function expandPlaceholders(command: string): string {
  const nesting: State[] = [];
  let state: State = 'plain';
  let result = '';
  for (let at = 0; at < command.length;) {
    const placeholder = /^\{(file|command)\}/.exec(command.slice(at, at + 9));
    if (placeholder) {
      result += expansions[state](placeholderVariables[placeholder[1] as 'file' | 'command']);
      at += placeholder[0].length;
      continue;
    }
    const taken = next(command, at, state);
    if (taken.enter) {
      nesting.push(state);
      state = taken.enter;
    } else if (taken.leave) {
      state = nesting.pop() ?? 'plain';
    }
    result += taken.text;
    at += taken.text.length;
  }
  return result;
}

interface Taken {
  readonly text: string;
  readonly enter?: State;
  readonly leave?: true;
}

/** One step of bash's quoting: what stands at `at`, and which quotes begin or end with it. */
function next(command: string, at: number, state: State): Taken {
  const character = command[at]!;
  const two = command.slice(at, at + 2);
  if (state === 'single') return character === "'" ? {text: character, leave: true} : {text: character};
  if (character === '\\') return {text: two};
  if (state === 'ansi') return character === "'" ? {text: character, leave: true} : {text: character};
  if (two === '$(') return {text: two, enter: 'plain'};
  if (character === '`')
    return state === 'tick' ? {text: character, leave: true} : {text: character, enter: 'tick'};
  if (character === '"')
    return state === 'double' ? {text: character, leave: true} : {text: character, enter: 'double'};
  if (state === 'double') return {text: character};
  if (two === "$'") return {text: two, enter: 'ansi'};
  if (character === "'") return {text: character, enter: 'single'};
  if (character === '(') return {text: character, enter: 'plain'};
  if (character === ')') return {text: character, leave: true};
  return {text: character};
}
