import type {DestructiveFact} from './destructive.ts';

/**
 * Reports whether a person has to hear of it. Records have every fact. False for what everybody does in a workspace
 * (`> file`, `rm -f file`, `rm -rf build`), and for paths that do not exist. A path that is not known may exist, but not that of
 * a redirection to a name of which a part is known (`> $name.c`): most such files are new.
 */
export function losesWork(
  {row, isOrdinary, impactScope}: Pick<DestructiveFact, 'row' | 'isOrdinary' | 'impactScope'>,
  exists: (path: string) => boolean,
): boolean {
  if (isOrdinary) return false;
  const isName = (path: string): boolean => row === 'redirection' && !/\/|^~|^\$\{?\w+\}?$/.test(path);
  const mayExist = (path: string): boolean => (/^\/[^*?[]*$/.test(path) ? exists(path) : !isName(path));
  return !/^(?:redirection|rm \d)$/.test(row) || impactScope.length === 0 || impactScope.some(mayExist);
}
