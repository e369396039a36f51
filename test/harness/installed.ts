import {execaSync} from 'execa';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {once} from './once.ts';

/** Installs a package of npm, once for each test file. Every user can run its programs. Returns their folder. */
export function installed(name: string): string {
  const folder = path.join(cacheFolder(), name.replaceAll('/', '-'));
  if (!existsSync(folder)) {
    mkdirSync(folder, {recursive: true});
    execaSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, name]);
  }
  return path.join(folder, 'node_modules/.bin');
}

const cacheFolder = once((): string => {
  const folder = mkdtempSync('/var/tmp/ion-test-installed-');
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
  return folder;
});
