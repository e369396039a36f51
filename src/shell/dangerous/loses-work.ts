import type {DestructiveFact} from './destructive.ts';

/**
 * Reports whether a person has to hear of it. Records have every fact. False for what everybody does in a workspace
 * (`> file`, `rm -f file`, `rm -rf build`), and for paths that do not exist. A path that is not known may exist.
 */
export function losesWork(
  {row, isOrdinary, impactScope}: Pick<DestructiveFact, 'row' | 'isOrdinary' | 'impactScope'>,
  exists: (path: string) => boolean,
): boolean {
  if (isOrdinary) return false;
  const mayExist = (path: string): boolean => !/^\/[^*?[]*$/.test(path) || exists(path);
  return !/^(?:redirection|rm \d)$/.test(row) || impactScope.length === 0 || impactScope.some(mayExist);
}
