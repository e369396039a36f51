import type {Boundary} from '../../sandbox/boundary.ts';
import {shellWord} from '../../shell/quote.ts';
import type {ShellMemory} from './shell-memory.ts';

/** The descriptor on which bash reports: native/launcher/confine/job.h. */
const reportDescriptor = 199;

/**
 * Options of `set -o` that may outlast a command. Options for interactive shells, and options that end the shell, are left out.
 */
const kept = [
  'allexport',
  'braceexpand',
  'errexit',
  'errtrace',
  'functrace',
  'hashall',
  'keyword',
  'monitor',
  'noclobber',
  'noglob',
  'nounset',
  'physical',
  'pipefail',
  'posix',
  'verbose',
  'xtrace',
];
const onByDefault = new Set(['braceexpand', 'hashall']);

/** ion expands aliases itself, before it decides. The next two cannot be changed, and the last ones set variables. */
const notKept = /^(?:expand_aliases|login_shell|restricted_shell|compat\d+)$/;

export interface ScriptInput {
  readonly memory: ShellMemory;
  /** `$?` at the beginning of the command. */
  readonly status: number;
  readonly nonce: string;
  /** The environment with which bash starts. */
  readonly given: Readonly<Record<string, string>>;
  readonly boundary: Boundary;
}

/**
 * The script that bash runs before a command: it restores the memory and sets a trap that reports the state at the end. In read
 * mode only the report: functions and variables of other commands could change what a safe command does.
 */
export function shellScript({memory, status, nonce, given, boundary}: ScriptInput): Uint8Array {
  const restored = boundary === 'read' ? [] : ['unset BASH_ENV', ...restore(memory, given)];
  const options = boundary === 'read' ? [] : setOptions(memory);
  const lines = [
    'unset ion_script',
    ...restored,
    `trap -- ${shellWord(report(nonce))} EXIT`,
    ...options,
    ...exitStatus(status, options),
  ];
  return Buffer.from(`${lines.join('\n')}\n`, memory.encoding);
}

/** Only a failure needs a fork. No other way sets `$?` of the last command, and with errexit it would end the shell here. */
function exitStatus(status: number, options: readonly string[]): readonly string[] {
  return status === 0 || options.includes('set -o errexit') ? [] : [`(exit ${status})`];
}

/** The order and number of the parts are those of parseReport. The options are read before they are turned off for the report. */
function report(nonce: string): string {
  return [
    '{ ion_options=$SHELLOPTS; set +xveu; } 2>/dev/null',
    // bash fills this array in when it is named.
    'builtin declare -p BASH_ALIASES >/dev/null',
    [
      `{ builtin printf "%s\\0" ${nonce} "$ion_options" "$BASHOPTS"`,
      'builtin umask',
      'builtin pwd',
      'builtin printf "\\0"',
      'builtin declare -p',
      'builtin printf "\\0"',
      'builtin declare -f',
      'builtin printf "\\0\\0%s\\0" ' + nonce,
      `} >&${reportDescriptor} 2>/dev/null`,
    ].join('; '),
  ].join('; ');
}

function restore(memory: ShellMemory, given: Readonly<Record<string, string>>): string[] {
  const {variables, removed, functions, aliases, shopts, umask} = memory;
  return [
    ...(shopts ? shoptsAs(shopts.filter((name) => !notKept.test(name))) : []),
    ...removed.map((name) => `unset -v ${name}`),
    ...variables.map(({name, flags, source}) => {
      const unexport = Object.hasOwn(given, name) && !/[xn]/.test(flags) ? '+x ' : '';
      return `declare ${unexport}-${flags || '-'} ${name}${source === undefined ? '' : `=${source}`}`;
    }),
    ...functions.flatMap(({name, text, exported}) => [text, ...(exported ? [`declare -fx ${name}`] : [])]),
    ...[...aliases].map(([name, value]) => `alias -- ${shellWord(`${name}=${value}`)}`),
    ...(umask === undefined ? [] : [`umask ${umask}`]),
  ];
}

/** First all that a fresh bash has on go off: which these are depends on its version. */
function shoptsAs(on: readonly string[]): string[] {
  return ['shopt -u ${BASHOPTS//:/ }', ...(on.length > 0 ? [`shopt -s ${on.join(' ')}`] : [])];
}

function setOptions({setOptions: on}: ShellMemory): string[] {
  if (!on) return [];
  return kept
    .filter((name) => on.includes(name) !== onByDefault.has(name))
    .map((name) => `set ${on.includes(name) ? '-' : '+'}o ${name}`);
}
