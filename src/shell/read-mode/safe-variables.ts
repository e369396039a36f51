import {matchGlob} from '../match/glob.ts';
import {droppedVariables, setVariables} from './read-environment.ts';
import {isToolSetting} from '../tool-settings.ts';

/**
 * Variables that bash itself obeys or sets. bash evaluates the values of some as arithmetic (`SECONDS='a[$(cmd)]'` runs
 * cmd).
 */
const ofBash = new Set(
  [
    'ARGV0 BASHPID BASH BASHOPTS COLUMNS COMPREPLY COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT',
    'FIGNORE FUNCNAME FUNCNEST GLOBSORT GROUPS HISTCMD HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT',
    'HOSTFILE HOSTTYPE IGNOREEOF INPUTRC INSIDE_EMACS LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OPTARG OPTERR',
    'OPTIND OSTYPE PIPESTATUS PPID RANDOM REPLY SECONDS SRANDOM TIMEFORMAT TMOUT UID auto_resume histchars',
  ].flatMap((line) => line.split(' ')),
);

const isDropped = (name: string): boolean =>
  droppedVariables.some((pattern) => matchGlob(pattern.toUpperCase(), name.toUpperCase()));

/**
 * Reports whether a command may set this variable for itself: not if bash or a program obeys it. An inherited variable
 * stays exported, so a new value would reach every program. Word splitting is no risk for the checks: the words that it
 * produces are unknown to them anyway.
 */
export function isOwnVariable(name: string): boolean {
  if (name === 'IFS' || name === 'REPLY') return true;
  if (!/^[A-Za-z_]\w*$/.test(name) || /^(?:_|npm_.*|.*_proxy)$/i.test(name)) return false;
  return !(ofBash.has(name) || Object.hasOwn(setVariables, name) || isDropped(name) || isToolSetting(name));
}

/** Environment variables that a command may give to a program: how it sorts, prints and colours. */
const passed: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:LANG|LANGUAGE|LC_[A-Z]+)$/, /^[\w.@:+-]*$/],
  [/^TZ$/, /^[\w+-][\w./+-]*$/],
  [/^(?:NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|COLUMNS|LINES)$/, /^\w*$/],
  [/^TERM$/, /^[\w+-]+$/],
  [/^(?:GIT_PAGER|PAGER|MANPAGER)$/, /^cat$/],
  [/^(?:GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)$/, /^0$/],
];

/** Reports whether an assignment such as `LC_ALL=C` may precede a program, or be a word of `env` and `export`. */
export function mayBePassed(assignment: string): boolean {
  const equals = assignment.indexOf('=');
  const [name, value] = [assignment.slice(0, equals), assignment.slice(equals + 1)];
  return equals > 0 && passed.some(([names, values]) => names.test(name) && values.test(value));
}

/** The name in `x=1`, `x+=1` and `x[0]=1`. */
export function assignedName(assignment: string): string {
  return /^[^=+[]*/.exec(assignment)![0];
}
