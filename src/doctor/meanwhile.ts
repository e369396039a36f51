import {
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {execaSync} from 'execa';

/**
 * The changes that another process makes in the workspace or around it. Returns a function that undoes it. Throws where it is
 * impossible.
 */
export type Meanwhile = (workspace: string) => void | (() => void);

const pollMs = 10;

/**
 * Waits until the attack's script creates `asked`, runs `change` (attack.ts), then creates `done`. `done` contains the error
 * if `change` failed.
 */
export function actWhenAsked(workspace: string, change: Meanwhile): {end(): void} {
  const [asked, done] = ['asked', 'done'].map((name) => path.join(workspace, name)) as [string, string];
  let undo: void | (() => void);
  const timer = setInterval(() => {
    if (!existsSync(asked) || existsSync(done)) return;
    let problem = '';
    try {
      undo = change(workspace);
    } catch (error) {
      problem = String(error);
    }
    writeFileSync(done, problem);
  }, pollMs);
  return {
    end: () => {
      clearInterval(timer);
      undo?.();
      undo = undefined;
      for (const file of [asked, done]) rmSync(file, {force: true});
    },
  };
}

/** Mounts a tmpfs on `mounted/` beside the workspace. It contains a file that belongs to the workspace's owner. */
export const mountBeside: Meanwhile = (workspace) => {
  const folder = path.join(workspace, '../mounted');
  const {uid, gid} = statSync(workspace);
  mkdirSync(folder);
  if (execaSync('mount', ['-t', 'tmpfs', '-o', 'mode=777', 'ion', folder], {reject: false}).failed) {
    rmdirSync(folder);
    throw new Error('cannot mount');
  }
  writeFileSync(path.join(folder, 'file'), '');
  chownSync(path.join(folder, 'file'), uid, gid);
  return () => {
    execaSync('umount', ['-l', folder], {reject: false});
    rmdirSync(folder);
  };
};

/** Folders that most systems have and that hold no closed file: Landlock grants them as a whole. */
const openInEtc = ['opt', 'X11', 'alternatives', 'default'].map((name) => `/etc/${name}`);

/** Makes a file below /etc that only its owner may read, and writes its path to `made` in the workspace. */
export const makeInEtc: Meanwhile = (workspace) => {
  const folder = openInEtc.find((one) => existsSync(one));
  if (folder === undefined) throw new Error('no folder');
  const file = path.join(folder, `ion-doctor-${process.pid}`);
  const made = path.join(workspace, 'made');
  writeFileSync(file, 'made by ion doctor\n', {mode: 0o600, flag: 'wx'});
  writeFileSync(made, file);
  return () => {
    for (const one of [file, made]) rmSync(one, {force: true});
  };
};

/** Replaces a file by a rename, as editors and passwd(1) do. */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Moves a file away and leaves a link to it. */
export function replaceByLink(file: string, name: string): () => void {
  const moved = path.join(path.dirname(file), name);
  renameSync(file, moved);
  symlinkSync(name, file);
  return () => renameSync(moved, file);
}

/** Replaces a folder by a new one that contains only this file. */
export function replaceFolder(folder: string, file: string): void {
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, file), '');
}
