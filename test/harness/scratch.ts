import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type {TestContext} from 'node:test';
import {removeTree} from '../../src/system/remove-tree.ts';
import type {Identity} from './identity.ts';

/**
 * A file of a scratch folder: its text, its text with a mode, or the target of a symlink. A name that ends with a slash is
 * a folder.
 */
export type Files = Readonly<
  Record<string, string | {readonly text: string; readonly mode: number} | {readonly link: string}>
>;

/** The same files, with each text filled in. */
export function withTexts(files: Files, fill: (text: string) => string): Files {
  const filled = Object.entries(files).map(([file, content]) => [
    file,
    typeof content === 'string'
      ? fill(content)
      : 'text' in content
        ? {...content, text: fill(content.text)}
        : content,
  ]);
  return Object.fromEntries(filled) as Files;
}

/**
 * The files of one test. They are outside /tmp, which the sandbox may write. `home/` is HOME, `home/work/` is the workspace
 * in which ion starts. A run must not change anything else.
 */
export interface Scratch {
  readonly root: string;
  readonly home: string;
  readonly work: string;
  /** Processes besides the run that may write here. The folder is removed after they have ended. */
  readonly companions: ChildProcess[];
}

/**
 * Makes a folder that is removed after the test. Files are relative to `home/work/`; `~/x` is in home, `/x` at the top of
 * the scratch folder.
 */
export function makeScratch(t: Pick<TestContext, 'after'>, owner: Identity, files: Files = {}): Scratch {
  const root = mkdtempSync('/var/tmp/ion-test-');
  const companions: ChildProcess[] = [];
  const scratch = {root, home: path.join(root, 'home'), work: path.join(root, 'home/work'), companions};
  t.after(async () => {
    await Promise.all(companions.map(end));
    // A test may have removed the permissions of home. Removing its content needs the owner's write permission.
    chmodSync(scratch.home, 0o755);
    // A process that a test has killed may still be creating its last file.
    removeTree(root, 5);
  });
  chmodSync(root, 0o755);
  mkdirSync(scratch.work, {recursive: true});
  writeFiles(scratch, files);
  giveTo(root, owner);
  return scratch;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export function writeFiles(scratch: Scratch, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = placeOf(scratch, name);
    if (name.endsWith('/')) {
      mkdirSync(file, {recursive: true});
      continue;
    }
    mkdirSync(path.dirname(file), {recursive: true});
    if (typeof content === 'object' && 'link' in content) {
      symlinkSync(content.link, file);
      continue;
    }
    const {text, mode} = typeof content === 'string' ? {text: content, mode: 0o644} : content;
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
}

function placeOf({root, home, work}: Scratch, name: string): string {
  if (name.startsWith('~/')) return path.join(home, name.slice(2));
  return name.startsWith('/') ? path.join(root, name) : path.join(work, name);
}

/** Gives the whole tree to the user who runs ion in it, without following symlinks. */
export function giveTo(folder: string, {uid, gid}: Identity): void {
  if (process.getuid!() !== 0) return;
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) giveTo(file, {uid, gid, name: 'user'});
    else if (lstatSync(file).isFile()) chownSync(file, uid, gid);
  }
}
