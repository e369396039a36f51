import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, renameSync} from 'node:fs';
import path from 'node:path';
import {packageRoot, repository} from './package.ts';

/**
 * Compiles a program or library of test/native, once for each copy of the package, in a folder that every user can read.
 */
export function compiled(source: string): string {
  const folder = path.join(packageRoot, 'test-native');
  const target = path.join(folder, source.replace(/\.c$/, ''));
  if (existsSync(target)) return target;
  mkdirSync(folder, {recursive: true});
  const half = `${target}.${process.pid}`;
  const library = source === 'older-landlock.c' ? ['-shared', '-fPIC', '-ldl'] : [];
  const launcher = path.join(repository, 'native/launcher');
  const file = path.join(repository, 'test/native', source);
  execFileSync('cc', ['-O1', '-I', launcher, '-o', half, file, ...library]);
  renameSync(half, target);
  return target;
}
