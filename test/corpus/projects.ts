import {execFileSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {packageRoot} from '../harness/package.ts';
import {corpusEnvironment} from './environment.ts';
import {c, go, java, rust} from './projects/compiled.ts';
import {data} from './projects/data.ts';
import {git} from './projects/git.ts';
import {node, python} from './projects/scripts.ts';

/** A small real project: its files, and a script that runs once to make the rest of it. */
export interface Project {
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly make?: string;
}

export const projects = {data, git, node, python, c, rust, java, go} as const satisfies Record<
  string,
  Project
>;
export type ProjectName = keyof typeof projects;

/** The project, ready to be copied. It is made once for each copy of the package, and every user can read it. */
export function templateOf(name: ProjectName): string {
  const folder = path.join(packageRoot, 'test-corpus');
  const target = path.join(folder, name);
  if (existsSync(target)) return target;
  mkdirSync(folder, {recursive: true});
  const half = mkdtempSync(path.join(folder, 'half-'));
  chmodSync(half, 0o755);
  const {files, make}: Project = projects[name];
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(half, file);
    mkdirSync(path.dirname(place), {recursive: true});
    writeFileSync(place, text, {mode: text.startsWith('#!') ? 0o755 : 0o644});
  }
  if (make !== undefined) {
    const env = {...process.env, ...corpusEnvironment, HOME: half, LANG: 'C.UTF-8'};
    execFileSync('/bin/bash', ['-euc', make], {cwd: half, env, stdio: ['ignore', 'ignore', 'inherit']});
  }
  renameSync(half, target);
  return target;
}
