import type {Word} from '../analysis.ts';
import type {Folders} from '../paths.ts';
import {hasOption, operandsOf} from '../subcommands.ts';

/** One way to destroy something. `words` are the words after the program and its global options. */
export interface DestructiveRow {
  readonly what: string;
  readonly when: (words: readonly Word[]) => boolean;
  /** The words that name the destroyed things. */
  readonly paths?: (words: readonly Word[]) => readonly Word[];
  /** The destroyed thing, if the command names no path. */
  readonly scope?: string;
  /** True when the loss is not in files: a registry, a cluster, a remote repository. */
  readonly outside?: boolean;
  /** Whether everybody does this to such paths of a workspace. */
  readonly isOrdinary?: (scope: readonly string[], folders: Folders) => boolean;
  readonly advice: string;
}

type When = DestructiveRow['when'];

/** Conditions for the rows. */
export const always: When = () => true;

export function first(...names: string[]): When {
  return (words) => names.includes(words[0]?.text ?? '');
}

export function starts(...names: string[]): When {
  return (words) => names.every((name, index) => operandsOf(words)[index]?.text === name);
}

export function any(...options: string[]): When {
  return (words) => hasOption(words, ...options);
}

export function both(...conditions: When[]): When {
  return (words) => conditions.every((holds) => holds(words));
}

export function not(condition: When): When {
  return (words) => !condition(words);
}

export function matches(pattern: RegExp): When {
  return (words) => words.some(({text}) => pattern.test(text));
}

export const rest = (words: readonly Word[]): readonly Word[] => operandsOf(words).slice(1);

export const noUndo = 'there is no undo: list the files first, or move them to a folder instead';
export const fromBackup = 'only a backup brings it back';
export const published =
  'published versions stay published: most registries only let you deprecate or yank them';

/** `git push origin +main` forces as --force does. */
export const forcedRef = /^\+./;
