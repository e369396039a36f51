import {rest} from '../options.ts';
import {embedded} from '../parse/embedded.ts';
import {scriptOf, unknown, type Call, type Inner} from './nested-call.ts';

export function unfoldEval({argv}: Call): Inner[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  return scriptOf(argv.slice(from), 'eval', {reader: 'same'});
}

export function unfoldTrap({argv}: Call): Inner[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  const action = argv[from];
  if (!action || argv.length <= from + 1 || action.text === '-' || action.text.startsWith('-')) return [];
  return scriptOf([action], 'trap', {reader: 'same'});
}

/** `jobs -x cmd` */
export function unfoldJobs({argv, name}: Call): Inner[] {
  const option = argv.findIndex(({text}) => /^-[lnprs]*x/.test(text));
  const command = argv.slice(argv[option + 1]?.text === '--' ? option + 2 : option + 1);
  return option === -1 || command.length === 0 ? [] : [{kind: 'command', argv: command, wrapper: name}];
}

/** bash -c expands no aliases, unless the command turns that on: what they stand for is looked at in any case. */
export function unfoldAlias({argv}: Call): Inner[] {
  return argv.slice(1).flatMap((word) => {
    const equals = word.text.indexOf('=');
    return equals === -1 ? [] : scriptOf([rest(word, equals + 1)], 'alias', {reader: 'same'});
  });
}

/** `test -v 'a[$(cmd)]'`, `let 'a[$(cmd)]=1'`: builtins that evaluate a name or a number run what is in its index. */
export function unfoldEvaluated({argv, name}: Call): Inner[] {
  return argv.slice(1).flatMap((word) => evaluated(word, word.text, name));
}

/** `declare 'a[$(cmd)]=1'`: the index; the value only with -i and -n. */
export function unfoldDeclaration({argv, name}: Call): Inner[] {
  const numeric = argv.some(({text}) => /^-[a-zA-Z]*[in]/.test(text));
  return argv
    .slice(1)
    .flatMap((word) => evaluated(word, numeric ? word.text : word.text.replace(/=.*/s, ''), name));
}

/** `printf -v 'a[$(cmd)]' …` */
export function unfoldPrintf({argv, name}: Call): Inner[] {
  const [, option, variable] = argv;
  if (!option?.text.startsWith('-v')) return [];
  const word = option.text === '-v' ? variable : option;
  return word ? evaluated(word, word.text, name) : [];
}

function evaluated(word: Call['argv'][number], text: string, name: string): Inner[] {
  // Of a word that is not literal only what is quoted: the rest is found where it stands.
  const script = word.literal || /'[^']*[$`]|\\[$`]/.test(word.raw) ? embedded(text) : undefined;
  if (script === undefined) return [];
  return [
    {kind: 'script', source: {text: script, whole: word.span}, wrapper: name, guessed: true, reader: 'same'},
  ];
}

/** `mapfile -C cmd`, `complete -C cmd`, `compgen -C cmd`: the command is run with more arguments. */
export function unfoldCallback(call: Call): Inner[] {
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

/** `hash -p /usr/bin/git g; g push`: a name for another file. */
export function unfoldHash({argv}: Call): Inner[] {
  const named = argv.some(({text}) => /^-[a-z]*p/.test(text));
  return named ? [unknown('hash gives a name to another program', argv[0]!.span)] : [];
}
