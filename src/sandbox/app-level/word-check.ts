import {quoted} from '../../errors.ts';
import {findDenied} from '../../policy/paths/denied-paths.ts';
import type {Word} from '../../shell/analysis.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Access} from './access.ts';
import type {Context, PathProblem} from './path-check-input.ts';
import {anything} from './resolver.ts';
import {isDescriptor, pathsIn, wordText} from './word-paths.ts';

export function wordsProblem(
  words: readonly Word[],
  access: Access,
  context: Context,
): PathProblem | undefined {
  for (const word of words) {
    const found = wordProblem(word, access, context);
    if (found) return found;
  }
  return undefined;
}

/**
 * Standard streams by path, in the direction in which ion received them: opening a file again would allow the other
 * direction too.
 */
const ownStream: Readonly<Record<Access, RegExp>> = {
  read: /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/,
  write: /^\/(?:dev\/(?:stdout|stderr|fd\/[12])|proc\/self\/fd\/[12])$/,
  remove: /^$/,
};

/** Reports whether every path that this word may name is in the roots. */
export function wordProblem(word: Word, wanted: Access, context: Context): PathProblem | undefined {
  if (isDescriptor(word)) return undefined;
  // Search folders for headers and libraries.
  const access = /^-[IL]/.test(word.text) ? 'read' : wanted;
  const unclear = (why: string): PathProblem => ({
    kind: 'unclear',
    what: `${quoted(word.raw)} ${why}`,
    span: word.span,
  });
  const text = wordText(word, context.environment['HOME']);
  if (text === undefined) return unclear('is known only when it runs');
  const candidates = pathsIn(text, context.environment['HOME']);
  if (!candidates) return unclear('is too long to check');
  for (const {text: path, guessed} of candidates) {
    if (ownStream[access].test(path)) continue;
    for (const folder of path.startsWith('/') ? [''] : context.folders) {
      if (context.budget.left-- <= 0) return unclear('is one of too many paths');
      const absolute = `${folder}/${path.startsWith('/') ? path.slice(1) : path}`;
      if (guessed && path.startsWith('/') && !topExists(path, context)) continue;
      const concrete = path.includes(anything) ? context.resolver.expand(absolute) : [absolute];
      if (!concrete) return unclear('may be too many files');
      for (const one of concrete) {
        const found = realProblem(word, context.resolver.real(one), access, context);
        if (found) return found;
      }
    }
  }
  return undefined;
}

/** A text like `/api/v1` is hardly a path if no name at the root matches it; reading it reveals nothing. */
function topExists(path: string, {resolver}: Context): boolean {
  const top = path.split('/').find((part) => part !== '' && part !== '.') ?? '';
  return top.includes(anything) || top === '..' || resolver.names('/').includes(top);
}

/** Reports whether this real path is in the roots. Undefined is an error, and so a problem. */
export function realProblem(
  word: Word,
  real: string | undefined,
  access: Access,
  context: Context,
): PathProblem | undefined {
  const {span, raw} = word;
  if (real === undefined) return {kind: 'path', what: `ion cannot tell where ${quoted(raw)} leads`, span};
  const leads = real === raw ? quoted(raw) : `${quoted(raw)} (${real})`;
  const denied = findDenied(real, context.deniedPaths ?? [], context.matchesPath);
  if (denied) return {kind: 'path', what: `${leads} is in denied_paths ${quoted(denied.entry.value)}`, span};
  const kept = access === 'read' ? undefined : protectedBy(real, context);
  if (kept)
    return {
      kind: 'protected',
      what: `${leads} is protected (${kept}): programs outside the sandbox run or read it`,
      closed: {path: kept, access: 'write'},
      span,
    };
  if (context.mayUse(real, access)) return undefined;
  if (access === 'read' && !topExists(real, context)) return undefined;
  const roots = access === 'read' ? 'readable' : 'writable';
  const why = access !== 'read' && context.mayUse(real, 'read') ? ', and this program may write to it' : '';
  const closed = {path: real, access: access === 'read' ? access : 'write'} as const;
  return {kind: 'path', what: `${leads} is outside the ${roots} folders${why}`, closed, span};
}

/**
 * The auto-run file that a write to this path would change: the file itself, a folder that contains it, or a path below
 * it. A folder could be moved away together with the file. The current folder and its parents contain all of them, and
 * half of all commands name those. Some file systems ignore case.
 */
function protectedBy(real: string, {protectedFiles, cwd}: Context): string | undefined {
  const folded = real.toLowerCase();
  const inside = [...protectedFiles.existing, ...protectedFiles.absent].find((file) =>
    isWithin(folded, file.toLowerCase()),
  );
  if (inside !== undefined || isWithin(cwd, real)) return inside;
  return protectedFiles.existing.find((file) => isWithin(file, real));
}
