import picomatch from 'picomatch';

/** Reports whether a pattern of trusted_paths matches this path. Patterns are validated when they are read. */
export function matchesPath(pattern: string, path: string): boolean {
  return picomatch.isMatch(path, pattern, {dot: true, noextglob: true, nonegate: true});
}
