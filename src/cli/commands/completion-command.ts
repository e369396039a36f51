import type {Command} from 'commander';
import {IonError, quoted} from '../../errors.ts';
import {promptOptions} from '../run-options.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** A command of ion with the words that can follow it. `path` is empty for ion itself. */
interface Completed {
  readonly path: string;
  readonly words: readonly Word[];
  /** True if a command of the user follows, which the shell completes as usual. */
  readonly wraps: boolean;
}

interface Word {
  readonly word: string;
  readonly about: string;
}

/** The completion script for one shell, made from the table of commands. Throws for an unknown shell. */
export function completionScript(program: Command, shell: string): string {
  const commands = [...commandsOf(program, '')];
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
    default:
      throw new IonError(`there is no completion for ${quoted(shell)}`, {
        help: `one of: ${shells.map((name) => `ion completion ${name}`).join(', ')}`,
      });
  }
}

function* commandsOf(command: Command, path: string): Generator<Completed> {
  const commands = command.commands.filter((one) => !one.name().startsWith('_'));
  const words = [
    ...commands.map((one) => ({word: one.name(), about: one.description()})),
    ...command.options.map((one) => ({word: one.long ?? one.short!, about: one.description})),
    ...(path === '' ? promptOptions.map(({flag, about}) => ({word: flag, about})) : []),
    ...(path === 'completion' ? shells.map((word) => ({word, about: ''})) : []),
  ];
  yield {path, words, wraps: path === 'run' || path === 'check'};
  for (const one of commands) yield* commandsOf(one, path === '' ? one.name() : `${path} ${one.name()}`);
}

/** Text in single quotes, for all three shells. Quotes inside are dropped: the text is ion's own. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '')}'`;
}

const bashCase = ({path, words}: Completed): string =>
  `    ${path === '' ? "''" : quote(path)}) words=${quote(words.map(({word}) => word).join(' '))} ;;`;

/** The path of the command is made of the words that are not options. It ends at a command that runs another one. */
function bashScript(commands: readonly Completed[]): string {
  return `# bash completion of ion. In ~/.bashrc: source <(ion completion bash)
_ion() {
  local path= word words= at
  local current=\${COMP_WORDS[COMP_CWORD]}
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    [[ $word == -* ]] && continue
    if [[ $path == run || $path == check ]]; then
      _command_offset "$at" 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
      return
    fi
    path="\${path:+$path }$word"
  done
  case $path in
${commands.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $path == run || $path == check ]] && [[ $current != -* ]]; then
    COMPREPLY+=($(compgen -c -- "$current"))
  fi
}
complete -o default -F _ion ion
`;
}

const zshCase = ({path, words, wraps}: Completed): string => {
  const described = words.map(({word, about}) => quote(`${word}:${about.replaceAll(':', ' ')}`));
  const after = wraps ? ' _command_names -e; _files;' : '';
  return `    ${path === '' ? "''" : quote(path)}) words_=(${described.join(' ')}); _describe ion words_;${after} ;;`;
};

function zshScript(commands: readonly Completed[]): string {
  return `#compdef ion
# zsh completion of ion. In ~/.zshrc, behind compinit: source <(ion completion zsh)
_ion() {
  local path_= word at
  local -a words_
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    [[ $word == -* ]] && continue
    if [[ $path_ == run || $path_ == check ]]; then
      shift $((at - 1)) words
      ((CURRENT -= at - 1))
      _normal
      return
    fi
    path_="\${path_:+$path_ }$word"
  done
  case $path_ in
${commands.map(zshCase).join('\n')}
  esac
}
compdef _ion ion
`;
}

function fishScript(commands: readonly Completed[]): string {
  const rows = commands.flatMap(({path, words, wraps}) => [
    ...words.map(({word, about}) => {
      const condition = path === '' ? '__fish_use_subcommand' : `__ion_path ${path}`;
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c ion -n ${quote(condition)} ${what} -d ${quote(about)}`;
    }),
    ...(wraps
      ? [
          `complete -c ion -n ${quote(`__fish_seen_subcommand_from ${path}`)} -a '(__fish_complete_subcommand --fcs-skip=2)'`,
        ]
      : []),
  ]);
  return `# fish completion of ion. In ~/.config/fish/config.fish: ion completion fish | source
function __ion_path
  set -l words
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set -a words $word
  end
  test "$words" = "$argv"
end
${rows.join('\n')}
`;
}
