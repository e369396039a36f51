import {chmodSync, cpSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {packageRoot} from './package.ts';

export interface PlainPackage {
  readonly ion: string;
  readonly remove: () => void;
}

/** A copy of the built package without the native part, as on a machine that could not build it. */
export function packageWithoutNative(): PlainPackage {
  const copy = mkdtempSync('/var/tmp/ion-test-plain-');
  chmodSync(copy, 0o755);
  const parts = ['package.json', 'bin', 'dist', 'profiles'];
  for (const part of parts.filter((name) => existsSync(path.join(packageRoot, name)))) {
    cpSync(path.join(packageRoot, part), path.join(copy, part), {recursive: true});
  }
  return {ion: path.join(copy, 'bin/ion'), remove: () => rmSync(copy, {recursive: true, force: true})};
}
