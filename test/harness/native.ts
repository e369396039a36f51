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

/**
 * Compiles a driver of test/native with files of the launcher, for tests of these files alone, with sanitizers. Call it once
 * for each test file: it takes a second. Returns the program's path.
 */
export function compiledWith(driver: string, files: readonly string[]): string {
  const folder = path.resolve('build/test-native');
  const target = path.join(folder, driver.replace(/\.c$/, ''));
  mkdirSync(folder, {recursive: true});
  const sources = [`test/native/${driver}`, ...files.map((file) => `native/launcher/${file}`)];
  const checks = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
  execFileSync('cc', ['-O1', ...checks, '-Inative/launcher', '-o', target, ...sources]);
  return target;
}

/** The kernel of a container may refuse the leak sanitizer to trace the program. */
export const sanitized = {...process.env, ASAN_OPTIONS: 'detect_leaks=0'};
