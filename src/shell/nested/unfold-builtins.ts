import {rest} from '../options.ts';
import {embedded} from '../parse/embedded.ts';
import {scriptOf, unknown, type Call, type Nested} from './nested-call.ts';

export function unfoldEval({argv}: Call): Nested[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  return scriptOf(argv.slice(from), 'eval', {reader: 'same'});
}

export function unfoldTrap({argv}: Call): Nested[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  const action = argv[from];
  if (!action || argv.length <= from + 1 || action.text === '-' || action.text.startsWith('-')) return [];
  return scriptOf([action], 'trap', {reader: 'same'});
}

/** `jobs -x cmd` */
export function unfoldJobs({argv, name}: Call): Nested[] {
  const option = argv.findIndex(({text}) => /^-[lnprs]*x/.test(text));
  const command = argv.slice(argv[option + 1]?.text === '--' ? option + 2 : option + 1);
  return option === -1 || command.length === 0 ? [] : [{kind: 'command', argv: command, wrapper: name}];
}

/** bash -c does not expand aliases unless the command turns that on. The alias text is analysed in any case. */
export function unfoldAlias({argv}: Call): Nested[] {
  return argv.slice(1).flatMap((word) => {
    const equals = word.text.indexOf('=');
    return equals === -1 ? [] : scriptOf([rest(word, equals + 1)], 'alias', {reader: 'same'});
  });
}

/**
 * `test -v 'a[$(cmd)]'`, `let 'a[$(cmd)]=1'`: a builtin that evaluates a name or a number runs the substitutions in its
 * index.
 */
export function unfoldEvaluated({argv, name}: Call): Nested[] {
  return argv.slice(1).flatMap((word) => evaluated(word, word.text, name));
}

/** `declare 'a[$(cmd)]=1'`: bash evaluates the index, and with -i and -n also the value. */
export function unfoldDeclaration({argv, name}: Call): Nested[] {
  const numeric = argv.some(({text}) => /^-[a-zA-Z]*[in]/.test(text));
  return argv
    .slice(1)
    .flatMap((word) => evaluated(word, numeric ? word.text : word.text.replace(/=.*/s, ''), name));
}

/** `printf -v 'a[$(cmd)]' …` */
export function unfoldPrintf({argv, name}: Call): Nested[] {
  const [, option, variable] = argv;
  if (!option?.text.startsWith('-v')) return [];
  const word = option.text === '-v' ? variable : option;
  return word ? evaluated(word, word.text, name) : [];
}

function evaluated(word: Call['argv'][number], text: string, name: string): Nested[] {
  // For a word that is not literal, only the quoted part counts: the walk finds the other substitutions in place.
  const script = word.literal || /'[^']*[$`]|\\[$`]/.test(word.raw) ? embedded(text) : undefined;
  if (script === undefined) return [];
  return [
    {kind: 'script', source: {text: script, whole: word.span}, wrapper: name, guessed: true, reader: 'same'},
  ];
}

/** `mapfile -C cmd`, `complete -C cmd`, `compgen -C cmd`: bash runs the command with more arguments. */
export function unfoldCallback(call: Call): Nested[] {
  const {argv, name} = call;
  const at = argv.findIndex((word) => /^-[A-Za-z]*C/.test(word.text));
  if (at === -1) return unfoldEvaluated(call);
  const attached = argv[at]!.text.replace(/^-[A-Za-z]*?C/, '');
  const word = attached === '' ? argv[at + 1] : rest(argv[at]!, argv[at]!.text.length - attached.length);
  if (!word) return [];
  return [
    ...scriptOf([word], `${name} -C`, {reader: 'same'}),
    unknown(`${name} -C adds arguments`, word.span),
  ];
}

/** `hash -p /usr/bin/git g; g push`: another name for a file. */
export function unfoldHash({argv}: Call): Nested[] {
  const named = argv.some(({text}) => /^-[a-z]*p/.test(text));
  return named ? [unknown('hash gives a name to another program', argv[0]!.span)] : [];
}
