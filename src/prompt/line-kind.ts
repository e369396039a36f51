/** The kind of a line of the prompt. */
export type LineKind =
  | {readonly kind: 'nothing'}
  /** `misplaced`: a command of the prompt that is not on a line of its own. bash has another one of this name. */
  | {readonly kind: 'command'; readonly misplaced?: string}
  | {readonly kind: 'own'; readonly commands: readonly OwnLine[]};

export interface OwnLine {
  readonly name: OwnCommand;
  readonly words: readonly string[];
}

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
 * The prompt's own commands are a line of plain words that begins with one of their names, or several separated by `;`. Every other
 * line is for bash, also one with a quoted name. Pure.
 */
export function lineKind(line: string): LineKind {
  const parts = line.split(';').filter((part) => part.trim() !== '');
  if (parts.length === 0) return line.trim() === '' ? {kind: 'nothing'} : {kind: 'command'};
  const own = parts.map(ownLine);
  const commands = own.filter((one) => one !== undefined);
  if (commands.length === parts.length && !line.trim().includes('\n')) return {kind: 'own', commands};
  const misplaced = /(?:^|[;&|\n])\s*((?:jobs|fg|bg|kill %\d+)(?![\w/.-]))/.exec(line)?.[1];
  return {kind: 'command', ...(misplaced === undefined ? {} : {misplaced})};
}

function ownLine(part: string): OwnLine | undefined {
  const text = part.trim();
  if (/[^\w\s/%.:-]/.test(text)) return undefined;
  const [first = '', ...words] = text.split(/\s+/);
  const name =
    slashCommands.find((one) => one === first) ??
    (Object.hasOwn(plainOwn, first) ? plainOwn[first] : undefined);
  if (name !== undefined) return {name, words};
  // With a process number the line is for bash.
  return /^kill %\d+$/.test(text) ? {name: 'kill', words} : undefined;
}
