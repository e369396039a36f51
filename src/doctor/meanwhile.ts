import {spawnSync} from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** What another process does to the workspace, and around it; returns how that is undone. Throws where it cannot be done here. */
export type Meanwhile = (workspace: string) => void | (() => void);

const lookMs = 10;

/** Do what an attack has another process do (attack.ts), once its script has made `asked`; then make `done`, with a text where it could not. */
export function actWhenAsked(workspace: string, act: Meanwhile): {end(): void} {
  const [asked, done] = ['asked', 'done'].map((name) => path.join(workspace, name)) as [string, string];
  let undo: void | (() => void);
  const timer = setInterval(() => {
    if (!existsSync(asked) || existsSync(done)) return;
    let problem = '';
    try {
      undo = act(workspace);
    } catch (error) {
      problem = String(error);
    }
    writeFileSync(done, problem);
  }, lookMs);
  return {
    end: () => {
      clearInterval(timer);
      undo?.();
      undo = undefined;
      for (const file of [asked, done]) rmSync(file, {force: true});
    },
  };
}

/** A file system of its own in `mounted/` beside the workspace, with a file of the workspace's owner in it. */
export const mountBeside: Meanwhile = (workspace) => {
  const folder = path.join(workspace, '../mounted');
  const {uid, gid} = statSync(workspace);
  mkdirSync(folder);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=777', 'ion', folder]).status !== 0) {
    rmdirSync(folder);
    throw new Error('cannot mount');
  }
  writeFileSync(path.join(folder, 'file'), '');
  chownSync(path.join(folder, 'file'), uid, gid);
  return () => {
    spawnSync('umount', ['-l', folder]);
    rmdirSync(folder);
  };
};

/** Replace a file, as editors and passwd(1) do. */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** A folder of this name with this file in it, in the place of the old one. */
export function replaceFolder(folder: string, file: string): void {
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, file), '');
}
