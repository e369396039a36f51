import {isUtf8} from 'node:buffer';
import {unquoted} from './bash-quoting.ts';
import {entriesOf, parseDeclarations} from './parse-declarations.ts';
import {parseFunctions} from './parse-functions.ts';
import type {ShellMemory, ShellVariable} from './shell-memory.ts';

/** A larger report does not count: a command could otherwise fill ion's memory, and each later start would take longer. */
export const maxReportBytes = 1024 * 1024;

export interface ShellReport {
  /** The folder of bash. An absolute path, as text. */
  readonly cwd: string;
  readonly memory: ShellMemory;
}

/** Variables that belong to one bash or one command. */
const ofOneShell = new Set(
  `_ BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_ENV
  BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_MONOSECONDS BASH_REMATCH BASH_SOURCE BASH_SUBSHELL
  BASH_TRAPSIG BASH_VERSINFO BASH_VERSION COLUMNS COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME
  GROUPS HISTCMD HOSTNAME HOSTTYPE LINENO LINES MACHTYPE OSTYPE PIPESTATUS PPID PWD RANDOM
  SECONDS SHELLOPTS SHLVL SRANDOM UID ion_script ion_options`.split(/\s+/),
);

/**
 * Builtins that ion's own script uses to restore and report the state. A function with such a name would replace one of them. All
 * later state would be lost, and no command could undo that.
 */
const builtinsOfScript = new Set(
  'alias builtin declare eval exec exit mapfile printf pwd set shopt trap umask unset'.split(' '),
);

/** Values that a bash without startup files sets itself. */
const bashDefaults: Readonly<Record<string, string>> = {
  IFS: ' \t\n',
  PS4: '+ ',
  OPTIND: '1',
  OPTERR: '1',
  TERM: 'dumb',
};

/**
 * The last complete report in the bytes from the socket. `nonce` marks its ends. Only the command's own bash knows it, so the
 * text of other processes does not count. `given` is the environment with which that bash started. Undefined if there is no
 * report, or one that bash would not write.
 */
export function parseReport(
  bytes: Buffer,
  nonce: string,
  given: Readonly<Record<string, string>>,
): ShellReport | undefined {
  if (bytes.length > maxReportBytes) return undefined;
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const pieces = bytes.toString(encoding).split('\0');
  const end = pieces.lastIndexOf(nonce);
  const begin = end - 7;
  if (begin < 0 || pieces[begin] !== nonce) return undefined;
  const [setOptions, shopts, place, declarations, functionTexts] = pieces.slice(begin + 1) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const [umask = ''] = place.split('\n', 1);
  const cwd = place.slice(umask.length + 1).replace(/\n$/, '');
  const declared = parseDeclarations(declarations);
  const functions = parseFunctions(functionTexts);
  if (!cwd.startsWith('/') || !declared || !functions) return undefined;
  const names = new Set(declared.map(({name}) => name));
  const aliases = declared.find(({name}) => name === 'BASH_ALIASES')?.source;
  return {
    cwd,
    memory: {
      encoding,
      variables: declared.filter((one) => !ofOneShell.has(one.name) && !isGiven(one, given)),
      removed: Object.keys(given).filter(
        (name) => /^[A-Za-z_]\w*$/.test(name) && !ofOneShell.has(name) && !names.has(name),
      ),
      functions: functions.filter(({name}) => !builtinsOfScript.has(name)),
      aliases: aliases === undefined ? new Map() : entriesOf(aliases),
      setOptions: setOptions.split(':').filter((name) => /^[a-z-]+$/.test(name)),
      shopts: shopts.split(':').filter((name) => /^\w+$/.test(name)),
      umask: /^[0-7]{1,4}$/.exec(umask)?.[0],
    },
  };
}

/** Reports whether the variable still has the value that ion or bash gave it at the start. */
function isGiven({name, flags, source}: ShellVariable, given: Readonly<Record<string, string>>): boolean {
  if (name === 'OLDPWD' && source === undefined) return true;
  if (source === undefined || source.startsWith('(')) return false;
  const value = unquoted(source);
  if (flags === 'x') return Object.hasOwn(given, name) && given[name] === value;
  return (
    /^i?$/.test(flags) &&
    Object.hasOwn(bashDefaults, name) &&
    bashDefaults[name] === value &&
    !Object.hasOwn(given, name)
  );
}
