import {readdirSync, realpathSync} from 'node:fs';
import path from 'node:path';
import type {ReportLevel, Settings} from '../config/settings.ts';
import {isWithin} from '../sandbox/paths.ts';
import type {DeniedPattern, Watch} from '../sandbox/backend.ts';
import type {Machine} from '../sandbox/machine.ts';
import {expandRoots} from '../sandbox/expand.ts';
import type {Root} from '../sandbox/plan.ts';
import {globalOptions} from '../shell/global-options.ts';
import type {Protected} from '../sandbox/protected.ts';

export interface WatchInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: Protected;
  readonly gitFolders: readonly string[];
  /** Of denied_paths what no mount hides. */
  readonly denied: readonly DeniedPattern[];
  readonly searchPath: string;
  readonly workspace: string;
  /** Is anybody there to hear of each execution? */
  readonly tellExecs: boolean;
  /** Tell refused reads too. */
  readonly explain: boolean;
}

/** What the supervisor is told; undefined where there is no listener. */
export function planWatch(input: WatchInput): Watch | undefined {
  const {
    settings,
    machine,
    roots,
    protected: pins,
    gitFolders,
    denied,
    searchPath,
    workspace,
    tellExecs,
    explain,
  } = input;
  if (!machine.features.listener) return undefined;
  const report = explain ? 'all' : settings.report.value;
  const deny = settings.denyCommands.map(({value}) => value);
  const programs = new Set(deny.map(programOf));
  const listed = Object.keys(globalOptions).filter((name) => programs.has(name));
  return {
    report,
    tellExecs,
    deny,
    deniedPrograms: filesOf(programs, searchPath, workspace),
    globalFlags: listed.flatMap((name) => [
      ...namesOf(name, globalOptions[name]!.flags ?? ''),
      ...namesOf(name, globalOptions[name]!.optional ?? '').map((option) => `${option}?`),
    ]),
    globalValues: listed.flatMap((name) => namesOf(name, globalOptions[name]!.values ?? '')),
    readable: readable(roots, report),
    unixSockets: settings.unixSockets.map(({value}) => value),
    absent: pins.absent,
    denied,
    watched: [],
    nestedHooks: !settings.unprotect.some(({value}) => value === '.git/hooks'),
    nestedConfig: !settings.unprotect.some(({value}) => value === '.git/config'),
    gitFolders,
    devices: roots
      .filter(({grant}) => grant === 'device' || grant === 'append')
      .flatMap(({path: file}) => real(file)),
  };
}

/**
 * What may be read and executed. Refused reads are told only on demand, and then exactly; a refused execution is compared with
 * the roots as they are written first.
 */
function readable(roots: readonly Root[], report: ReportLevel): string[] {
  if (report === 'minimal') return [];
  const reads = (list: readonly Root[]): string[] =>
    list.filter(({grant}) => grant === 'read' || grant === 'view').map(({path: file}) => file);
  return report === 'all' ? reads(expandRoots(roots)).flatMap(real) : reads(roots);
}

function programOf(pattern: string): string {
  const end = pattern.indexOf(' ');
  return end === -1 ? pattern : pattern.slice(0, end);
}

/** With more names than this, folders are read as a whole: 10,000 names in ten folders are 100,000 files not to be there. */
const manyNames = 32;

/**
 * The files of the programs that deny patterns begin with, so that another name for one (link, copy) is known. Not where the
 * name on PATH is itself another name (`vi` for `vim`, an applet of busybox): denying one would deny all.
 */
function filesOf(programs: ReadonlySet<string>, searchPath: string, workspace: string): string[] {
  const found = new Set<string>();
  const files: string[] = [];
  for (const folder of searchPath.split(':')) {
    if (found.size === programs.size) break;
    if (!path.isAbsolute(folder) || isWithin(folder, workspace)) continue;
    const names = programs.size > manyNames ? namesIn(folder) : undefined;
    for (const name of names?.filter((one) => programs.has(one)) ?? programs) {
      if (name === '' || /[*?/]/.test(name) || found.has(name)) continue;
      const [file] = real(path.join(folder, name));
      if (file === undefined) continue;
      found.add(name);
      if (path.basename(file) === name) files.push(file);
    }
  }
  return files;
}

/** Undefined for a folder that may be searched but not listed: then only asking for each name tells. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** `git -C` */
function namesOf(program: string, options: string): string[] {
  const names = options.split(' ').filter((option) => option !== '');
  return names.map((option) => `${program} ${option.length === 1 ? `-${option}` : option}`);
}

function real(file: string): string[] {
  try {
    return [realpathSync.native(file)];
  } catch {
    return [];
  }
}
