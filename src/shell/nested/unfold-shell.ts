import type {Word} from '../analysis.ts';
import {scriptOf, unknown, type Call, type Nested} from './nested-call.ts';

const longWithValue = new Set(['--rcfile', '--init-file']);

/** `bash -c script name args`, `sh file`, `cat script | sh`. Options may be combined in any way: `-xec`. */
export function unfoldShell(call: Call): Nested[] {
  const {argv, name} = call;
  let command = false;
  let stdin = false;
  let at = 1;
  for (; at < argv.length; at++) {
    const {text} = argv[at]!;
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (longWithValue.has(text)) at++;
    else if (text.startsWith('--')) continue;
    else if (/^[-+]./.test(text)) {
      if (text.startsWith('-') && text.includes('c')) command = true;
      if (text.includes('s')) stdin = true;
      // Each o and O takes a word of its own: `-ooc errexit pipefail script`.
      at += text.slice(1).replace(/[^oO]/g, '').length;
    } else break;
  }
  const found = shellRuns(call, {command, stdin, operands: argv.slice(at)});
  if (argv.some((word) => word.expansions?.includes('process'))) {
    found.push(unknown(`${name} reads what a command prints`, argv[0]!.span));
  }
  if (name === 'bash' || found.length === 0) return found.map(readBy('bash'));
  return ownGrammar.has(name)
    ? [...found, unknown(`${name} has a grammar of its own`, argv[0]!.span)]
    : found;
}

const ownGrammar = new Set(['fish', 'csh', 'tcsh', 'zsh', 'nu', 'elvish', 'xonsh', 'pwsh']);

const readBy =
  (reader: 'bash' | 'same') =>
  (nested: Nested): Nested =>
    nested.kind === 'script' ? {...nested, reader} : nested;

interface Invocation {
  readonly command: boolean;
  readonly stdin: boolean;
  readonly operands: readonly Word[];
}

function shellRuns(call: Call, {command, stdin, operands}: Invocation): Nested[] {
  const [operand] = operands;
  if (command) return operand ? runsText(call.name, operands) : optionsOnly(call);
  if (!operand || stdin) return readsStdin(call);
  return runsFile(call, operand);
}

function runsText(name: string, [script, ...parameters]: readonly Word[]): Nested[] {
  return scriptOf([script!], `${name} -c`, {parameters});
}

/** `bash $flags`: the unknown words may contain the script. */
function optionsOnly({argv, name}: Call): Nested[] {
  const open = argv.some((word) => !word.literal);
  return open ? [unknown(`${name} gets its script from an expansion`, argv[0]!.span)] : [];
}

function readsStdin({argv, name, input}: Call): Nested[] {
  const {span} = argv[0]!;
  if (input) return [{kind: 'script', source: input, wrapper: name, input: null}];
  if (argv.length === 2 && /^--?(version|help|h)$/.test(argv[1]!.text)) return [];
  return [unknown(`${name} runs a script from stdin`, span)];
}

const stdinFiles = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', '-']);

function runsFile(call: Call, file: Word): Nested[] {
  if (stdinFiles.has(file.text)) return readsStdin(call);
  if (file.expansions?.includes('process'))
    return [unknown(`${call.name} runs what a command prints`, file.span)];
  if (/^\/(dev|proc\/self)\/fd\/\d+$/.test(file.text))
    return [unknown(`${call.name} runs what a descriptor gives`, file.span)];
  return file.literal
    ? [{kind: 'file'}]
    : [unknown(`${call.name} runs a file that is known only when it runs`, file.span)];
}

/** `source file`: the analysis does not see the file, and the file changes the current shell. */
export function unfoldSource(call: Call): Nested[] {
  const at = call.argv[1]?.text === '--' ? 2 : 1;
  const file = call.argv[at];
  if (!file) return [];
  if (stdinFiles.has(file.text)) return readsStdin(call).map(readBy('same'));
  return [unknown(`${call.name} runs a file in this shell`, file.span)];
}
