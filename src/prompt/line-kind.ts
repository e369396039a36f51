/** The kind of a line of the prompt. */
export type LineKind =
  | {readonly kind: 'nothing'}
  | {readonly kind: 'command'}
  | {readonly kind: 'own'; readonly name: OwnCommand; readonly words: readonly string[]};

export const slashCommands = ['/help', '/mode', '/trust', '/permissions', '/allow', '/why'] as const;

export type OwnCommand = (typeof slashCommands)[number] | 'exit' | 'fg' | 'bg' | 'jobs' | 'kill' | 'history';

const plainOwn: Readonly<Record<string, OwnCommand>> = {
  exit: 'exit',
  logout: 'exit',
  fg: 'fg',
  bg: 'bg',
  jobs: 'jobs',
  history: 'history',
};

/**
 * The prompt's own commands are a line of plain words that begins with one of their names. Every other line is for bash, also one
 * with a quoted name. Pure.
 */
export function lineKind(line: string): LineKind {
  const text = line.trim();
  if (text === '') return {kind: 'nothing'};
  if (/[^\w\s/%.:-]/.test(text) || text.includes('\n')) return {kind: 'command'};
  const [first = '', ...words] = text.split(/\s+/);
  const name =
    slashCommands.find((one) => one === first) ??
    (Object.hasOwn(plainOwn, first) ? plainOwn[first] : undefined);
  if (name !== undefined) return {kind: 'own', name, words};
  // With a process number the line is for bash.
  return /^kill %\d+$/.test(text) ? {kind: 'own', name: 'kill', words} : {kind: 'command'};
}
