import {statSync} from 'node:fs';
import type {Segment, Word} from '../../shell/analysis.ts';
import {absolutePath} from '../../shell/paths.ts';
import {folderOperands} from './builtins.ts';
import {anything, type Resolver} from './resolver.ts';
import {wordText} from './word-paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const maxFolders = 64;

/**
 * The folders in which bash may resolve a relative path: the start folder, and each folder that any sequence of `cd` commands and
 * options like `-C` may reach from it. Undefined: unknown, or too many.
 */
export function reachableFolders(
  segments: readonly Segment[],
  {cwd, environment}: {readonly cwd: string; readonly environment: Environment},
  resolver: Resolver,
): string[] | undefined {
  const home = environment['HOME'];
  const words = segments.flatMap(namedFolders);
  const targets = words.map((word) => (word === 'home' ? home : wordText(word, home)));
  if (targets.some((text) => text === undefined || text.includes(anything))) return undefined;
  const folders = [cwd];
  for (const folder of folders) {
    for (const target of targets as string[]) {
      const written = target.startsWith('/') ? target : `${folder}/${target}`;
      // bash resolves `..` on the text of the path; programs resolve it on the real folder.
      for (const next of [absolutePath(written, '/'), resolver.real(written)]) {
        if (next === undefined) return undefined;
        if (!folders.includes(next) && isFolder(next)) folders.push(next);
      }
      if (folders.length > maxFolders) return undefined;
    }
  }
  return folders;
}

const folderOption = /^(?:-C|--directory|--chdir|--cwd|--work-tree|--git-dir|--prefix)$/;

function namedFolders({argv}: Segment): (Word | 'home')[] {
  const [program, ...words] = argv;
  if (program?.text === 'cd' || program?.text === 'pushd') return [folderOperands(words)[0] ?? 'home'];
  return words.flatMap((word, index): Word[] => {
    const attached = word.literal
      ? /^(?:-C|--(?:directory|chdir|cwd|work-tree|git-dir|prefix)=)(.+)$/.exec(word.text)?.[1]
      : undefined;
    if (attached !== undefined) return [{...word, text: attached}];
    const next = words[index + 1];
    return folderOption.test(word.text) && next ? [next] : [];
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
