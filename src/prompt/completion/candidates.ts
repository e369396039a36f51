import {constants} from 'node:fs';
import {access, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {bashBuiltins} from './bash-builtins.ts';

/** A possible completion of a word. */
export interface Candidate {
  readonly value: string;
  /** A folder: its contents may follow. */
  readonly isFolder: boolean;
}

/** The sources of names. All of them come from commands. ion only searches and shows them, and runs none of them. */
export interface CompletionPlace {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly searchPath: string;
  /** Functions, aliases, and commands of the prompt itself. */
  readonly names: readonly string[];
  /** How long a file system may take. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 1000;
const maxEntries = 20_000;
const maxCandidates = 500;

export async function pathCandidates(
  value: string,
  place: CompletionPlace,
  onlyPrograms = false,
): Promise<readonly Candidate[]> {
  const slash = value.lastIndexOf('/') + 1;
  const [folder, begin] = [value.slice(0, slash), value.slice(slash)];
  const at = path.resolve(place.cwd, withHome(folder, place.home));
  const names = (await entriesOf(at, place.patienceMs)).filter(
    (name) => name.startsWith(begin) && (begin !== '' || !name.startsWith('.')),
  );
  const all = await Promise.all(
    names.slice(0, maxCandidates).map(async (name): Promise<Candidate | undefined> => {
      const file = path.join(at, name);
      const isFolder = await inTime(
        stat(file).then((found) => found.isDirectory()),
        false,
        place.patienceMs,
      );
      if (
        onlyPrograms &&
        !isFolder &&
        !(await inTime(
          access(file, constants.X_OK).then(() => true),
          false,
          place.patienceMs,
        ))
      )
        return undefined;
      return {value: folder + name, isFolder};
    }),
  );
  return all.filter((one) => one !== undefined);
}

export async function programCandidates(
  begin: string,
  place: CompletionPlace,
): Promise<readonly Candidate[]> {
  const folders = [...new Set(place.searchPath.split(':').filter((folder) => folder.startsWith('/')))].slice(
    0,
    50,
  );
  const found = await Promise.all(folders.map((folder) => entriesOf(folder, place.patienceMs)));
  const names = new Set(
    [...place.names, ...bashBuiltins, ...found.flat()].filter((name) => name.startsWith(begin)),
  );
  return [...names]
    .toSorted()
    .slice(0, maxCandidates)
    .map((value) => ({value, isFolder: false}));
}

function withHome(folder: string, home: string | undefined): string {
  return home !== undefined && /^~(?:\/|$)/.test(folder) ? home + folder.slice(1) : folder;
}

async function entriesOf(folder: string, patienceMs?: number): Promise<readonly string[]> {
  const names = await inTime(readdir(folder), [], patienceMs);
  return names.slice(0, maxEntries).toSorted();
}

/** The value, or `otherwise` after an error or when the file system does not answer. */
async function inTime<T>(work: Promise<T>, otherwise: T, patienceMs = usualPatienceMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), patienceMs);
  });
  try {
    return await Promise.race([work.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
}
