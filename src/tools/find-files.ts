import {closeSync, lstatSync, readdirSync} from 'node:fs';
import picomatch from 'picomatch';
import {descriptorPath, openFolder} from './open-judged.ts';
import {ToolError} from './tool-error.ts';
import {walkFolder} from './walk-folder.ts';

export interface GlobRequest {
  readonly path: string;
  readonly pattern: string;
  readonly limit?: number;
}

/** The files that match, the most recently changed first. Paths are relative to the folder. */
export function findFiles({path, pattern, limit = 1000}: GlobRequest) {
  const matches = matcher(pattern);
  const hidden = /(?:^|\/)\./.test(pattern);
  const folder = openFolder(path);
  try {
    const root = descriptorPath(folder, path);
    const found: {path: string; changed: number}[] = [];
    for (const one of walkFolder(root, {hidden}))
      if (matches(one.path)) found.push({path: one.path, changed: changedAt(`${root}/${one.path}`)});
    found.sort((one, other) => other.changed - one.changed);
    return {
      files: found.slice(0, limit).map((one) => one.path),
      total: found.length,
      truncated: found.length > limit,
    };
  } finally {
    closeSync(folder);
  }
}

export function matcher(pattern: string): (path: string) => boolean {
  if (pattern.length > 1000)
    throw new ToolError('BAD_PATTERN', 'the pattern is longer than 1,000 characters');
  try {
    return picomatch(pattern.replace(/^\.\//, ''), {dot: true, nonegate: true});
  } catch (error) {
    throw new ToolError('BAD_PATTERN', (error as Error).message);
  }
}

function changedAt(file: string): number {
  try {
    return lstatSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

export interface ListRequest {
  readonly path: string;
  readonly limit?: number;
}

export function listFolder({path, limit = 2000}: ListRequest) {
  const folder = openFolder(path);
  try {
    const root = descriptorPath(folder, path);
    const all = readdirSync(root, {withFileTypes: true}).sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
    const entries = all.slice(0, limit).map((entry) => {
      const type = entry.isDirectory()
        ? 'folder'
        : entry.isSymbolicLink()
          ? 'link'
          : entry.isFile()
            ? 'file'
            : 'other';
      return {name: entry.name, type, bytes: type === 'file' ? sizeOf(`${root}/${entry.name}`) : null};
    });
    return {entries, total: all.length, truncated: all.length > limit};
  } finally {
    closeSync(folder);
  }
}

function sizeOf(file: string): number | null {
  try {
    return lstatSync(file).size;
  } catch {
    return null;
  }
}
