import path from 'node:path';
import type {Analysis, Word} from '../../shell/analysis.ts';
import {homeTilde} from '../../shell/read-mode/git-drivers.ts';
import {below, follow, refuse} from './git-files.ts';

const maxFolders = 200;

interface From {
  readonly cwd: string;
  readonly home: string | undefined;
  /** OLDPWD: where `cd -` goes. */
  readonly before: string | undefined;
}

export interface NamedPlaces {
  /** Real paths of the folders where git may run. */
  readonly folders: readonly string[];
  /** As `--git-dir` names them, resolved from each of these folders. */
  readonly gitFolders: readonly string[];
}

/**
 * The folders where the command may go. Each is resolved from every earlier one, because a `cd` may fail or be in a
 * subshell. For `..`, bash shortens the path as text and git takes the real parent: both are included.
 */
export function namedPlaces({segments, withValues}: Analysis, from: From): NamedPlaces {
  const folders = new Set([from.cwd]);
  const gitFolders = new Set<string>();
  const go = (word: Word): void => {
    const target = textIn(word, from.home);
    if (target === undefined) return;
    for (const folder of [...folders]) {
      for (const spelled of [below(folder, target), path.resolve(folder, target)]) {
        const real = follow(spelled);
        if (real !== undefined) folders.add(real);
      }
    }
    if (folders.size > maxFolders) refuse(target, 'is one folder too many to check');
  };
  // For `d=sub; cd "$d"` this includes the commands with the value filled in.
  for (const {argv} of [...segments, ...(withValues?.segments ?? [])]) {
    const [program, ...args] = argv;
    if (program?.text === 'cd') {
      for (const home of [from.home, from.before]) if (home) addReal(home, folders);
      args.forEach(go);
    }
    if (path.basename(program?.text ?? '') !== 'git') continue;
    valuesOf(args, '-C').forEach(go);
    valuesOf(args, '--work-tree').forEach(go);
    for (const word of valuesOf(args, '--git-dir')) {
      const target = textIn(word, from.home);
      if (target !== undefined) for (const folder of folders) gitFolders.add(below(folder, target));
    }
  }
  return {folders: [...folders], gitFolders: [...gitFolders]};
}

function addReal(folder: string, folders: Set<string>): void {
  const real = follow(folder);
  if (real !== undefined) folders.add(real);
}

/**
 * The values of an option, even after the subcommand, where the option means something else: one folder too many is
 * harmless.
 */
function valuesOf(args: readonly Word[], option: string): Word[] {
  return args.flatMap((word, at) => {
    if (word.text === option) return args.slice(at + 1, at + 2);
    return option.startsWith('--') && word.text.startsWith(`${option}=`)
      ? [{...word, text: word.text.slice(option.length + 1)}]
      : [];
  });
}

/**
 * The text of a word. safe-git.ts has already refused words that are known only at run time. Here they occur only in
 * the user's own hooks.
 */
function textIn(word: Word, home: string | undefined): string | undefined {
  if (word.literal) return word.text;
  return home !== undefined && homeTilde(word) ? `${home}${word.text.slice(1)}` : undefined;
}
