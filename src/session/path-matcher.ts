import {hasPathGlobs} from '../policy/paths/denied-paths.ts';
import type {PathMatcher} from '../policy/decision.ts';
import type {Settings} from '../config/settings.ts';

/** The matcher of denied globs, if there are any. Loading picomatch slows down a start by a millisecond. */
export async function loadPathMatcher({deniedPaths}: Settings): Promise<PathMatcher | undefined> {
  if (!hasPathGlobs(deniedPaths)) return undefined;
  const {default: picomatch} = await import('picomatch');
  // `s`: a folder's name may contain a line break.
  const compiled = new Map<string, (path: string) => boolean>();
  return (pattern, path) => {
    let matches = compiled.get(pattern);
    if (!matches) compiled.set(pattern, (matches = picomatch(pattern, {dot: true, flags: 's'})));
    return matches(path);
  };
}
