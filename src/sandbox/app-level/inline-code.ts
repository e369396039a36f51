import type {Segment} from '../../shell/analysis.ts';
import {checkSed} from '../../shell/read-mode/sed-and-jq.ts';
import {baseName} from '../../system/base-name.ts';

interface Language {
  readonly programs: RegExp;
  /** Options that bring code in a word of the command. */
  readonly options?: RegExp;
  /** Options after which the program needs no file and runs no code. */
  readonly harmless?: RegExp;
  /** False: without an operand the program reads a default file (make: Makefile). */
  readonly readsStdin?: false;
}

const version = /^-{1,2}(?:v|V|version|help|h)$/;

/**
 * Programs that take code in a word or on standard input, for example from a here-document. ion cannot read that code. For code
 * in a file only the path of the file is checked, as for every other program.
 */
const languages: readonly Language[] = [
  {programs: /^(?:python|pypy)[\d.]*$/, options: /^-[A-Za-z]*c/, harmless: version},
  {programs: /^perl[\d.]*$/, options: /^-[A-Za-z0-9]*[eEnpM]/, harmless: version},
  {programs: /^(?:ruby|irb|jruby)[\d.]*$/, options: /^-[A-Za-z0-9]*[enp]/, harmless: version},
  {
    programs: /^(?:node|nodejs|bun|deno)$/,
    options: /^(?:-[cip]*[ep]|--eval|--print|eval|repl)(?:=|$)/,
    harmless: version,
  },
  {programs: /^php[\d.]*$/, options: /^-(?:r|R|B|E|-run|-process-)/, harmless: version},
  {
    programs: /^(?:lua|luajit|tclsh|wish|expect|guile|Rscript)[\d.]*$/,
    options: /^-[A-Za-z]*[ec]/,
    harmless: version,
  },
  {
    programs: /^(?:osascript|swift|R|julia|erl|ghci|jshell|scala|groovy)$/,
    options: /^-(?:e|E|l|eval)/,
    harmless: version,
  },
  {programs: /^(?:g?make|ninja)$/, options: /^(?:--eval|-f-$|--(?:make)?file=-$)/, readsStdin: false},
];

/** Programs that take commands by keys, scripts or standard input. */
const commanded = new Set(
  'ed ex vi vim nvim view emacs nano gdb lldb dc m4 sqlite3 psql mysql screen tmux at batch crontab ftp sftp'.split(
    ' ',
  ),
);

/** Options of other programs that bring a command to run. */
const running =
  /^--(?:to-command|checkpoint-action|use-compress-program|rsh|rsync-path|upload-pack|receive-pack)(?:=|$)|^ProxyCommand/;

export function isAwk(name: string): boolean {
  return /^[gmn]?awk$/.test(name);
}

/** Why ion cannot read the code in a command; undefined when there is none. */
export function inlineCode({argv}: Segment): string | undefined {
  const name = baseName(argv[0]?.text ?? '');
  const words = argv.slice(1).map(({text}) => text);
  const option = words.find((word) => running.test(word));
  if (option !== undefined) return `${name} is given a command by ${JSON.stringify(option)}`;
  if (readsCode(argv, name)) return `${name} reads code from a descriptor`;
  if (commanded.has(name)) return `${name} runs code in its own language`;
  if (isAwk(name)) return awkProblem(words);
  if (/^g?sed$/.test(name)) return sedProblem(argv);
  const language = languages.find(({programs}) => programs.test(name));
  if (!language) return undefined;
  if (words.some((word) => language.options?.test(word))) return `${name} is given code as a word`;
  if (words.some((word) => language.harmless?.test(word))) return undefined;
  if (words.includes('-')) return `${name} reads code from standard input`;
  if (language.readsStdin === false) return undefined;
  const hasFile = words.some((word) => !word.startsWith('-') && word !== '');
  return hasFile ? undefined : `${name} reads code from standard input`;
}

const descriptors = /^(?:\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+|<\(.*)$/;

/** A file operand that an earlier part of the command prints: `python3 <(echo ...)`, `node /dev/stdin`. */
function readsCode(argv: Segment['argv'], name: string): boolean {
  if (!isAwk(name) && !languages.some(({programs}) => programs.test(name))) return false;
  return argv.slice(1).some(({text}) => descriptors.test(text));
}

/** awk can write files and run programs; without these constructs it only prints from its operands. */
function awkProblem(words: readonly string[]): string | undefined {
  if (words.some((word) => /^(?:-[il]|--(?:include|load))/.test(word))) return 'awk is given an extension';
  return words.some((word) => /[|>@]|\b(?:system|getline|close|ARGV|ARGC)\b/.test(word))
    ? 'the awk program may open files or run others'
    : undefined;
}

/** The check of read mode, which also accepts a change in place here: the changed files are words of the command. */
function sedProblem([, ...words]: Segment['argv']): string | undefined {
  const rest = words.filter(({text}) => !/^(?:-i|--in-place)/.test(text));
  return checkSed(rest);
}
