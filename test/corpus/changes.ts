import {createHash} from 'node:crypto';
import {lstatSync, readFileSync, readdirSync, readlinkSync} from 'node:fs';
import path from 'node:path';

/** Files that hold times, inodes or process ids: of these only the presence is compared. */
const varying =
  /(^|\/)(\.git\/(.*\/)?(index|gc\.log|FETCH_HEAD)|\.ninja_log|\.ninja_deps|.*\.log|.*\.pyc|node_modules\/\.package-lock\.json)$/;

/** Objects are linked into a local clone outside, and copied inside, where links cross a mount. */
const objects = /(^|\/|\.git\/)objects\/(.*\/)?[^/]+$/;

/** What a folder holds, by relative path: type, mode and content of each entry. Owners and times are not compared. */
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

/** Names that are not the same in both, each with what each has. */
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

/** Files that are different for one reason, whatever made them. */
export const knownDifferences: readonly {readonly line: RegExp; readonly why: string}[] = [
  {
    line: /^(\S*[./]git\/)(branches|hooks(\/\S+\.sample)?): outside \S.*, inside absent$/,
    why: 'a repository that is made inside gets no samples of hooks (hooks are protected), and no folder for them',
  },
];
