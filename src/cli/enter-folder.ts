import {IonError, quoted} from '../errors.ts';

/** `-C`: changes to each folder in turn, as if the caller had done it. Throws an IonError (125). */
export function enterFolders(...folders: readonly (string | undefined)[]): void {
  for (const folder of folders) {
    if (folder === undefined) continue;
    try {
      process.chdir(folder);
    } catch (cause) {
      throw new IonError(`-C ${quoted(folder)}: ion cannot start there`, {
        help: 'name a folder that exists and that you may enter',
        cause,
      });
    }
  }
}
