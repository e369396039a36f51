import {realpathSync} from 'node:fs';
import path from 'node:path';
import type {ReportLevel, Settings} from '../config/settings.ts';
import {isWithin} from '../sandbox/paths.ts';
import type {Watch} from '../sandbox/backend.ts';
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
    searchPath,
    workspace,
    tellExecs,
    explain,
  } = input;
  if (!machine.features.listener) return undefined;
  const report = explain ? 'all' : settings.report.value;
  const deny = settings.denyCommands.map(({value}) => value);
  return {
    report,
    tellExecs,
    deny,
    deniedPrograms: deny.flatMap((pattern) => programOf(pattern, searchPath, workspace)),
    globalValues: deny.flatMap(globalValuesOf),
    readable: readable(roots, report),
    unixSockets: settings.unixSockets.map(({value}) => value),
    absent: pins.absent,
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
    list.filter(({grant}) => grant === 'read').map(({path: file}) => file);
  return report === 'all' ? reads(expandRoots(roots)).flatMap(real) : reads(roots);
}

/**
 * The file of the program that a deny pattern begins with, so that another name for it (link, copy) is known. Not where the
 * name on PATH is itself another name (`vi` for `vim`, an applet of busybox): denying one would deny all.
 */
function programOf(pattern: string, searchPath: string, workspace: string): string[] {
  const name = pattern.split(' ', 1)[0] ?? '';
  if (name === '' || /[*?/]/.test(name)) return [];
  for (const folder of searchPath.split(':')) {
    if (!path.isAbsolute(folder) || isWithin(folder, workspace)) continue;
    const [file] = real(path.join(folder, name));
    if (file !== undefined) return path.basename(file) === name ? [file] : [];
  }
  return [];
}

function globalValuesOf(pattern: string): string[] {
  const name = pattern.split(' ', 1)[0] ?? '';
  const values = globalOptions[name]?.values?.split(' ') ?? [];
  return values.map((option) => `${name} ${option.length === 1 ? `-${option}` : option}`);
}

function real(file: string): string[] {
  try {
    return [realpathSync.native(file)];
  } catch {
    return [];
  }
}
