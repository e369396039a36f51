import {createHash} from 'node:crypto';
import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {replaceFile} from '../system/atomic-file.ts';
import {withLockFile} from '../system/lock-file.ts';
import {readSmallFile} from '../system/small-file.ts';
import {refuseReadOnly, writeProblem} from '../system/write-problem.ts';
import type {Key, LayerValues} from './keys.ts';
import {parseLayer} from './read/parse-layer.ts';
import {renderToml, tomlKey} from './read/render.ts';
import {isListKey} from './schema.ts';

/**
 * The grants of the user to one workspace: a config layer of its own, which ion writes. Its settings are those of the config
 * reference. Each entry has a line of its own, so that a message can name that line:
 *
 *     permissions.rules = [
 *       { effect = "allow", scope = "command_prefix", match = "git push" },
 *     ]
 *     sandbox.write_roots = [
 *       "/home/u/.cache/tool",
 *     ]
 */
export interface GrantsLocation {
  readonly home: string;
  /** Canonical, as in `config.workspace`. */
  readonly workspace: string;
}

/** A key, or a list in a network table. */
export type GrantKey = Key | 'sandbox.network.allow';

type Table = Readonly<Record<string, unknown>>;

/**
 * The file's path below `~/.ion`. A project chooses the name of its own folder. It cannot choose a name whose hash is that of
 * another workspace.
 */
export function grantsName(workspace: string): string {
  return `grants/${createHash('sha256').update(workspace).digest('hex').slice(0, 32)}.toml`;
}

export function shownGrants({workspace}: GrantsLocation): string {
  return `~/.ion/${grantsName(workspace)}`;
}

/** Adds an entry to a list, or sets a key that is not a list. An entry that is already there is not added again. */
export function addGrant(place: GrantsLocation, key: GrantKey, entry: unknown): void {
  const isList = isListKey(key);
  changeGrant(place, key, (before) => {
    if (!isList) return entry;
    const entries = listOf(before);
    return entries.some((one) => isSame(one, entry)) ? entries : [...entries, entry];
  });
}

/** Changes one setting under a lock, so that parallel changes are not lost. Undefined removes it. */
export function changeGrant(place: GrantsLocation, key: GrantKey, change: (value: unknown) => unknown): void {
  const file = fileOf(place);
  try {
    mkdirSync(path.dirname(file.path), {recursive: true, mode: 0o700});
    refuseLinkedFolders(file.path);
    withLockFile(`${file.path}.lock`, () => {
      const {document} = readGrants(place);
      const before = settingsIn(document);
      const after = new Map(before).set(key, change(before.get(key)));
      if (isSame([...before], [...after])) return;
      refuseReadOnly(file.path, file.shown);
      const text = render(place, after);
      // Parse the text first: ion must not write a file that it could not read again.
      parseLayer(text, {...file.source, file: file.shown});
      replaceFile(file.path, text);
    });
  } catch (error) {
    throw writeProblem(file.shown, error);
  }
}

/** The file as it is on the disk. Empty if there is none. */
export function readGrants(place: GrantsLocation): {
  readonly values: LayerValues;
  readonly document: unknown;
} {
  const {path: file, shown, source} = fileOf(place);
  const read = readSmallFile({path: file, shown, refuseSymlink: true});
  if (!read) return {values: {}, document: {}};
  const {uid, mode} = read.stats;
  if (uid !== process.geteuid?.()) throw new IonError(`${quoted(shown)} belongs to another user`);
  if ((mode & 0o022) !== 0)
    throw new IonError(`${quoted(shown)} can be written by other users`, {help: `chmod 600 ${shown}`});
  return parseLayer(read.text, {...source, file: shown});
}

function fileOf(place: GrantsLocation) {
  const {home, workspace} = place;
  return {
    path: path.join(home, '.ion', grantsName(workspace)),
    shown: shownGrants(place),
    source: {kind: 'grants', folder: undefined, home} as const,
  };
}

/** A symlink could lead to a place that a run can write. */
function refuseLinkedFolders(file: string): void {
  const grants = path.dirname(file);
  for (const [folder, shown] of [
    [path.dirname(grants), '~/.ion'],
    [grants, '~/.ion/grants'],
  ] as const)
    if (lstatSync(folder).isSymbolicLink()) throw new IonError(`${quoted(shown)} is a symlink`);
}

/** Every setting by its dotted key, in the order of the file. */
function settingsIn(document: unknown, above = ''): Map<string, unknown> {
  const found = Object.entries(document as Table).flatMap(([name, value]): [string, unknown][] => {
    const key = `${above}${tomlKey(name)}`;
    return isTable(value) ? [...settingsIn(value, `${key}.`)] : [[key, value]];
  });
  return new Map(found);
}

function render({workspace}: GrantsLocation, settings: ReadonlyMap<string, unknown>): string {
  const lines = [...settings].flatMap(([key, value]) => {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    if (!Array.isArray(value)) return [`${key} = ${whole(value)}`];
    return [`${key} = [`, ...value.map((entry) => `  ${whole(entry)},`), ']'];
  });
  const head = [
    `# Granted to the workspace ${whole(workspace)}.`,
    '# ion writes this file: you may edit the settings; comments are not kept.',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

function whole(value: unknown): string {
  return renderToml(value, Infinity);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
