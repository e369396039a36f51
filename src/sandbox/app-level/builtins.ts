import type {Segment, Word} from '../../shell/analysis.ts';

/**
 * Bash builtins, and which of them ion can follow from the text. ion refuses every other builtin: it can change how
 * later words are read (`shopt`, `alias`, `enable`, `hash -p`) or evaluate text (`let`, `mapfile -C`).
 */
const followed = new Set(
  [
    ': true false echo printf test [ pwd type cd pushd popd dirs exit return break continue shift',
    'command builtin exec eval trap wait jobs fg bg disown kill times umask ulimit set logout caller help',
    'export readonly local declare typeset read unset',
  ].flatMap((line) => line.split(' ')),
);

const refused = new Set(
  [
    '. source alias bind compgen complete compopt enable fc getopts hash history let mapfile readarray shopt',
    'suspend unalias',
  ].flatMap((line) => line.split(' ')),
);

/** The words of these builtins are text, numbers or names, never files. */
const withoutPaths = new Set(
  ': true false echo printf exit return break continue shift wait jobs fg bg kill umask ulimit set'.split(
    ' ',
  ),
);

/** These builtins set variables by name. A subscript is refused, because bash would evaluate it. */
const assigning = new Set('export readonly local declare typeset read unset'.split(' '));

/** Variables that change what words mean, what runs, or which files bash reads on its own. */
const telling =
  /^(?:BASH.*|PS\d|PROMPT_.*|ENV|CDPATH|GLOB.*|EXECIGNORE|SHELLOPTS|PATH|HOME|PWD|OLDPWD|IFS|LD_.*|DYLD_.*|POSIXLY_CORRECT|HIST.*|FCEDIT|OPTARG|OPTIND|REPLY|DIRSTACK|FUNCNAME)$/;

export function isBuiltin(name: string): boolean {
  return followed.has(name) || refused.has(name);
}

export function hasNoPaths(name: string): boolean {
  return withoutPaths.has(name);
}

/** Why ion cannot follow a builtin or an assignment; undefined when it can. */
export function builtinProblem({argv, assignments}: Segment): string | undefined {
  for (const word of assignments) {
    const found = assignmentProblem(word);
    if (found) return found;
  }
  const [program, ...words] = argv;
  if (!program) return undefined;
  const name = program.text;
  if (refused.has(name)) return `${name} changes how bash reads what follows`;
  if (!followed.has(name)) return undefined;
  if (assigning.has(name)) return first(words, (word) => argumentProblem(name, word));
  return (
    first(words, (word) => evaluationProblem(name, word)) ??
    (name === 'cd' || name === 'pushd' ? folderProblem(name, words) : wordsProblem(name, words))
  );
}

function first<T>(list: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** These builtins only print the text, or the analysis has already parsed it as a separate script. */
const printing = new Set(': true false echo printf eval trap'.split(' '));

/** bash evaluates the subscript of a variable name: `wait -p 'a[$(command)]'`. */
function evaluationProblem(builtin: string, {text}: Word): string | undefined {
  // A number format: some shells evaluate its argument.
  const asNumber = builtin === 'printf' && /\[[^\]]*(?:\$\(|`)/.test(text);
  if (asNumber) return `${builtin} may evaluate ${JSON.stringify(text)}`;
  if (printing.has(builtin) || !/\$\(|`|\[.*\]/.test(text)) return undefined;
  return `${builtin} may evaluate ${JSON.stringify(text)}`;
}

function assignmentProblem(word: Word): string | undefined {
  const name = /^([A-Za-z_]\w*)\+?=/.exec(word.text)?.[1];
  if (name === undefined || !word.literal) return 'an assignment holds what is known only when it runs';
  return nameProblem(name);
}

/** Why the command may not set a variable; undefined when it may. */
export function nameProblem(name: string): string | undefined {
  return telling.test(name) ? `${name} changes what a command means` : undefined;
}

function argumentProblem(builtin: string, word: Word): string | undefined {
  if (!word.literal) return `${builtin} has a word that is known only when it runs`;
  if (/^-[rxgpn]+$/.test(word.text)) return undefined;
  const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(word.text)?.[1];
  if (name === undefined) return `${builtin} may evaluate ${JSON.stringify(word.text)}`;
  return nameProblem(name);
}

function folderProblem(builtin: string, words: readonly Word[]): string | undefined {
  const [target] = folderOperands(words);
  if (builtin === 'pushd' && (!target || /^[-+]\d/.test(target.text)))
    return 'pushd goes to an earlier folder';
  return target?.text === '-' ? `${builtin} - goes to an earlier folder` : undefined;
}

/** The folder of `cd` and `pushd`. */
export function folderOperands(words: readonly Word[]): Word[] {
  return words.filter(({text, literal}) => !literal || !/^-[LPen@-]+$/.test(text));
}

function wordsProblem(name: string, words: readonly Word[]): string | undefined {
  const literal = words.filter((word) => word.literal).map(({text}) => text);
  if (name === 'printf' && literal.some((text) => text.startsWith('-v'))) return 'printf -v sets a variable';
  if ((name === 'test' || name === '[') && literal.includes('-v'))
    return `${name} -v may evaluate its operand`;
  if (
    name === 'set' &&
    !literal.every((text) => /^(?:[-+][euxonv]+|pipefail|errexit|nounset|noglob|--)$/.test(text))
  ) {
    return 'set changes how bash reads what follows';
  }
  return undefined;
}
