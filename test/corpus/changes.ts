import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readdirSync, readlinkSync} from 'node:fs';
import path from 'node:path';

/** Files that contain times, inodes or process ids. Only their presence is compared. */
const varying =
  /(^|\/)(\.git\/(.*\/)?(index|gc\.log|FETCH_HEAD)|\.ninja_log|\.ninja_deps|.*\.log|.*\.pyc|node_modules\/\.package-lock\.json)$/;

/** Outside, a local clone links objects. Inside it copies them where a link would cross a mount. */
const objects = /(^|\/|\.git\/)objects\/(.*\/)?[^/]+$/;

/** The content of a folder, by relative path: type, mode and content of each entry. Owners and times are not compared. */
export function filesOf(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (below: string): void => {
    for (const entry of readdirSync(path.join(folder, below), {withFileTypes: true})) {
      const name = path.join(below, entry.name);
      found.set(name, describe(path.join(folder, name), name));
      if (entry.isDirectory()) visit(name);
    }
  };
  visit('');
  return found;
}

function describe(file: string, name: string): string {
  const info = lstatSync(file);
  const mode = info.mode.toString(8);
  if (info.isSymbolicLink()) return `${mode} -> ${readlinkSync(file)}`;
  if (!info.isFile() || varying.test(name)) return mode;
  const links = objects.test(name) ? 'object' : `${mode} ${info.nlink}`;
  return `${links} ${createHash('sha1').update(readFileSync(file)).digest('hex')}`;
}

/** Names that differ between the two, with the entries of both. */
export function differences(
  outside: ReadonlyMap<string, string>,
  inside: ReadonlyMap<string, string>,
  onlyNames: boolean,
): string[] {
  return [...new Set([...outside.keys(), ...inside.keys()])]
    .sort()
    .filter((name) =>
      onlyNames ? outside.has(name) !== inside.has(name) : outside.get(name) !== inside.get(name),
    )
    .map(
      (name) => `${name}: outside ${outside.get(name) ?? 'absent'}, inside ${inside.get(name) ?? 'absent'}`,
    );
}

/** Files that differ for a known reason, whichever command made them. */
export const knownDifferences: readonly {readonly line: RegExp; readonly why: string}[] = [
  {
    line: /^(\S*[./]git\/)(branches|hooks(\/\S+\.sample)?): outside \S.*, inside absent$/,
    why: 'a repository that is made inside gets no samples of hooks (hooks are protected), and no folder for them',
  },
];
