import {accessSync, constants, readFileSync} from 'node:fs';
import type {TestContext} from 'node:test';
import {spawnSync} from 'node:child_process';
import {once} from './once.ts';
import {ionFile} from './package.ts';

/**
 * Skips a test that cannot run here, with the reason. With ION_TEST_MUST_RUN=1 (CI) a skip is a failure, because a suite
 * that skips its proofs would be green for nothing.
 */
export function skip(t: TestContext, why: string): void {
  if (process.env['ION_TEST_MUST_RUN'] === '1') throw new Error(`must run here, but: ${why}`);
  t.skip(why);
}

/** True if all programs exist; otherwise the test is skipped. `python3:ensurepip` is a module of Python. */
export function requireProgram(t: TestContext, ...names: readonly string[]): boolean {
  const missing = names.find((name) => !isInstalled(name));
  if (missing === undefined) return true;
  skip(t, `${missing} is not installed`);
  return false;
}

function isInstalled(name: string): boolean {
  const [program, module] = name.split(':') as [string, string?];
  if (findProgram(program) === undefined) return false;
  return module === undefined || spawnSync(program, ['-c', `import ${module}`]).status === 0;
}

export function findProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    try {
      accessSync(`${folder}/${name}`, constants.X_OK);
      return `${folder}/${name}`;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** True if the kernel has this Landlock ABI; otherwise the test is skipped. */
export function requireAbi(t: TestContext, wanted: number): boolean {
  const abi = readAbi();
  if (abi >= wanted) return true;
  skip(t, `needs Landlock ABI ${wanted}, and this kernel has ${abi}`);
  return false;
}

const readAbi = once((): number => {
  const {stdout} = spawnSync(process.execPath, [ionFile, 'doctor', '--json'], {encoding: 'utf8'});
  return (JSON.parse(stdout) as {landlock_abi: number}).landlock_abi;
});

export function kernelRelease(): string {
  return readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim();
}
