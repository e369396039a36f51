import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {IonError, renderMessage} from '../../../src/errors.ts';
import {resolveConfig, type ConfigRequest} from '../../../src/config/read/resolve.ts';

export const uid = process.getuid!();
export const isRoot = uid === 0;

/** Creates what git recognizes as a repository, without git. */
export function makeGitFolder(folder: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(path.join(folder, name), {recursive: true});
  writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/main\n');
}

export interface Scene {
  /** The folder of the test; a repository unless the test says otherwise. */
  readonly work: string;
  readonly home: string;
  readonly write: (file: string, text: string) => void;
  readonly resolve: (changes?: Partial<ConfigRequest>) => ReturnType<typeof resolveConfig>;
}

/** A scratch repository and a scratch home, side by side. */
export async function inScene(play: (scene: Scene) => Promise<void> | void): Promise<void> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-config-')));
  const [work, home] = [path.join(root, 'work'), path.join(root, 'home')];
  mkdirSync(home, {recursive: true});
  makeGitFolder(path.join(work, '.git'));
  try {
    await play({
      work,
      home,
      write(file, text) {
        const target = path.resolve(work, file);
        mkdirSync(path.dirname(target), {recursive: true});
        writeFileSync(target, text);
      },
      resolve: (changes = {}) => resolveConfig({cwd: work, home, env: {}, uid, flags: {}, ...changes}),
    });
  } finally {
    rmSync(root, {recursive: true, force: true});
  }
}

export async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof IonError, String(error));
    assert.equal(error.exitCode, 125);
    return renderMessage({text: error.message, at: error.at, help: error.help});
  }
  return 'no error';
}

/** Computes the lines of all origins, which are normally computed on demand. */
export function withLines<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
