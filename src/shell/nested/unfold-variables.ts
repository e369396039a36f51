import type {Word} from '../analysis.ts';
import {scriptOf, type Nested} from './nested-call.ts';
import {rest} from '../options.ts';

/** Variables whose value a program runs as a command. */
const commandVariables =
  /^(PROMPT_COMMAND|BASH_ALIASES.*|(GIT_|SSH_|SUDO_)?(PAGER|EDITOR|ASKPASS)|VISUAL|BROWSER|GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|SEQUENCE_EDITOR|PROXY_COMMAND)|MANPAGER|LESSOPEN|LESSCLOSE|RSYNC_RSH|CVS_RSH|SVN_(EDITOR|SSH)|FZF_DEFAULT_COMMAND|SHELL|MAKESHELL|RUSTC_WRAPPER|CC|CXX|BASH_FUNC_.*)$/;

/** Variables whose value bash expands when it prints them. */
const expandedVariables = /^PS[0124]$/;

/** `PAGER='cmd' git log`, `PS4='$(cmd)'`. */
export function unfoldVariable(word: Word): Nested[] {
  const equals = word.text.indexOf('=');
  const name = word.text.slice(0, equals).replace(/(\[.*\])?\+?$/, '');
  const value = rest(word, equals + 1);
  if (equals === -1 || value.text === '') return [];
  if (commandVariables.test(name)) return scriptOf([value], `${name}=`);
  if (expandedVariables.test(name) && /\$\(|`/.test(value.text)) {
    return scriptOf([{...value, text: `: "${value.text.replaceAll('"', '')}"`, raw: ''}], `${name}=`);
  }
  return [];
}
