import picomatch from 'picomatch';

/** Does a pattern of trusted_paths mean this path? Patterns have been checked when they were read. */
export function matchesPath(pattern: string, path: string): boolean {
  return picomatch.isMatch(path, pattern, {dot: true, noextglob: true, nonegate: true});
}
