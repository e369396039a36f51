import {readdirSync, readFileSync, type Dirent} from 'node:fs';
import picomatch from 'picomatch';

export interface Found {
  /** Relative to the folder that the walk started in. */
  readonly path: string;
  readonly entry: Dirent;
}

type Ignores = (path: string, isFolder: boolean) => boolean | undefined;

/** The most entries that a walk looks at: a walk of a whole disk must end. */
const maxEntries = 500_000;

/**
 * Walks a folder, without following links. Like ripgrep, it leaves out `.git`, and the names in every `.gitignore` on the way.
 * Folders that cannot be read are left out.
 */
export function* walkFolder(root: string, {hidden = false} = {}): Generator<Found> {
  let entries = 0;
  const pending: {readonly path: string; readonly ignores: readonly Ignores[]}[] = [{path: '', ignores: []}];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const ignores = [...folder.ignores, ...ignoreFile(`${root}/${folder.path}`, folder.path)];
    for (const entry of entriesOf(`${root}/${folder.path}`)) {
      if (++entries > maxEntries) return;
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      if (entry.name === '.git' || (!hidden && entry.name.startsWith('.'))) continue;
      if (isIgnored(ignores, path, entry.isDirectory())) continue;
      if (entry.isDirectory()) pending.push({path, ignores});
      else yield {path, entry};
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, {withFileTypes: true}).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isIgnored(ignores: readonly Ignores[], path: string, isFolder: boolean): boolean {
  return ignores.reduce<boolean>((sofar, one) => one(path, isFolder) ?? sofar, false);
}

function ignoreFile(folder: string, prefix: string): Ignores[] {
  let text: string;
  try {
    text = readFileSync(`${folder}/.gitignore`, 'utf8');
  } catch {
    return [];
  }
  return text
    .slice(0, 100_000)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ignorePattern(line, prefix));
}

function ignorePattern(line: string, prefix: string): Ignores {
  const negated = line.startsWith('!');
  const body = negated ? line.slice(1) : line;
  const onlyFolders = body.endsWith('/');
  const bare = body.replace(/\/$/, '').replace(/^\//, '');
  const anchored = body.replace(/\/$/, '').includes('/');
  const matches = picomatch(anchored ? bare : `**/${bare}`, {dot: true, nonegate: true});
  const below = prefix === '' ? '' : `${prefix}/`;
  return (path, isFolder) => {
    if ((onlyFolders && !isFolder) || !path.startsWith(below)) return undefined;
    return matches(path.slice(below.length)) ? !negated : undefined;
  };
}
