/** How bash gets a command: options of its own, and the words after the command, the first of which is `$0`. */
export interface ShellForm {
  readonly options: readonly string[];
  /** Bash reads the command from a file or from stdin. Absent: the command is an argument. */
  readonly source?: ScriptSource | 'stdin';
  readonly operands: readonly string[];
}

export interface ScriptSource {
  readonly file: string;
  /** What ion decided on. bash gets this text when it opens the file. Absent: ion decided on the name alone. */
  readonly text?: string;
}

/** The arguments of a shell. `text` is the command of `-c`. */
export type ShellArguments =
  | {readonly kind: 'command'; readonly text: string; readonly form: ShellForm}
  | {readonly kind: 'source'; readonly form: ShellForm & {readonly source: ScriptSource | 'stdin'}}
  /** Bash itself prints something and ends. */
  | {readonly kind: 'shows'; readonly option: string}
  | {readonly kind: 'wrong'; readonly why: string};

/** bash(1): they come before all other options, with one dash or two. */
const longOptions: Readonly<Record<string, 'flag' | 'value' | 'shows'>> = {
  debug: 'flag',
  debugger: 'flag',
  'dump-po-strings': 'flag',
  'dump-strings': 'flag',
  help: 'shows',
  'init-file': 'value',
  login: 'flag',
  noediting: 'flag',
  noprofile: 'flag',
  norc: 'flag',
  posix: 'flag',
  'pretty-print': 'flag',
  rcfile: 'value',
  restricted: 'flag',
  verbose: 'flag',
  version: 'shows',
};

const letters = 'abefhiklmnprtuvxBCDEHPT';

interface Taken {
  readonly options: readonly string[];
  readonly rest: readonly string[];
  readonly command: boolean;
  readonly stdin: boolean;
}

/** Parses the arguments of bash(1), as bash's shell.c does. Pure. */
export function parseShellArguments(args: readonly string[]): ShellArguments {
  const long = takeLong(args);
  if ('kind' in long) return long;
  const taken = takeShort(long.rest);
  if ('kind' in taken) return taken;
  const options = [...long.options, ...taken.options];
  const [first, ...rest] = taken.rest;
  if (taken.command) {
    if (first === undefined) return wrong('-c: option requires an argument');
    return {kind: 'command', text: first, form: {options, operands: rest}};
  }
  if (taken.stdin || first === undefined)
    return {kind: 'source', form: {options, source: 'stdin', operands: taken.rest}};
  return {kind: 'source', form: {options, source: {file: first}, operands: rest}};
}

const wrong = (why: string): ShellArguments => ({kind: 'wrong', why});

function takeLong(
  args: readonly string[],
): {readonly options: readonly string[]; readonly rest: readonly string[]} | ShellArguments {
  const options: string[] = [];
  // A wrong option after one of these is still an error.
  const shows: string[] = [];
  for (let at = 0; ; at++) {
    const word = args[at] ?? '';
    const name = /^--?(.+)$/s.exec(word)?.[1] ?? '';
    const kind = Object.hasOwn(longOptions, name) ? longOptions[name] : undefined;
    if (kind === undefined) {
      if (/^--./s.test(word)) return wrong(`${word}: invalid option`);
      const option = shows.includes('--help') ? '--help' : shows[0];
      return option === undefined ? {options, rest: args.slice(at)} : {kind: 'shows', option};
    }
    if (kind === 'shows') {
      shows.push(`--${name}`);
      continue;
    }
    options.push(`--${name}`);
    if (kind === 'flag') continue;
    const value = args[++at];
    if (value === undefined) return wrong(`--${name}: option requires an argument`);
    options.push(value);
  }
}

/** `-eo pipefail -c`: a word of letters, of which `o` and `O` take the next word. */
function takeShort(args: readonly string[]): Taken | ShellArguments {
  const options: string[] = [];
  let command = false;
  let stdin = false;
  let at = 0;
  for (let word = args[at]; word !== undefined && /^[-+]/.test(word); word = args[at]) {
    at++;
    if (word === '-' || word === '--') break;
    const sign = word[0]!;
    for (const letter of word.slice(1)) {
      if (letter === 'c') command = true;
      else if (letter === 's') stdin = true;
      else if (letter === 'o' || letter === 'O') {
        const name = args[at++];
        if (name === undefined) return wrong(`${sign}${letter}: option requires an argument`);
        options.push(`${sign}${letter}`, name);
      } else if (letters.includes(letter)) options.push(`${sign}${letter}`);
      else return wrong(`${sign}${letter}: invalid option`);
    }
  }
  return {options, rest: args.slice(at), command, stdin};
}

export const plainForm: ShellForm = {options: [], operands: []};

/** The argv that starts bash. No word after `--` is an option, whatever it begins with. */
export function shellWords(bash: string, command: string, form: ShellForm): string[] {
  const start = [bash, '--norc', ...form.options];
  if (form.source === undefined) return [...start, '-c', '--', command, ...form.operands];
  if (form.source === 'stdin') return [...start, '-s', '--', ...form.operands];
  return [...start, '--', form.source.file, ...form.operands];
}
