import {readdirSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

/** Counts by kind. */
export type Stock = Readonly<Record<string, number>>;

/**
 * Counts what runs of ion could leave on the machine and in their folders. It counts only ion's own resources and those in
 * folders of the test.
 */
export function takeStock(workspace: string): Stock {
  const home = process.env['HOME']!;
  return {
    launchers: processesNamed('ion-launcher'),
    mounts: mounts(),
    groups: groupsOfRuns(),
    runFolders: entries(`${home}/.ion/run`),
    quarantined: entries(`${home}/.ion/quarantine`),
    temps: entries(process.env['TMPDIR'] ?? tmpdir()),
    inWorkspace: entries(workspace),
    inGit: entries(`${workspace}/.git`),
  };
}

/** Excludes mounts that a concurrent test makes in its own folder. */
function mounts(): number {
  const all = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n');
  return all.filter((line) => !line.includes('/ion-test-')).length;
}

function entries(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

function processesNamed(name: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      // Counts only this user and this workspace, because other tests run at the same time.
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(name) &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${process.env['HOME']}\0`)
      );
    } catch {
      return false;
    }
  }).length;
}

function groupsOfRuns(): number {
  const mount = /^(?:\S+ ){4}(\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.[1];
  const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (mount === undefined || own === undefined) return 0;
  const folder = path.join(mount, own);
  return [folder, path.dirname(folder)].reduce(
    (sum, each) => sum + namesIn(each).filter((name) => name.startsWith('ion-run-')).length,
    0,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
