import {readdirSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

/** How many there are, by what is counted. */
export type Stock = Readonly<Record<string, number>>;

/** What runs of ion could leave on the machine and in their folders. Counts only what is ion's, or in a folder of the test's. */
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

/** But for those that a test beside this one makes in its own folder. */
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
      // Of this user and this workspace: other tests run beside.
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
