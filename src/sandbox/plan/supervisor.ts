import {realpathSync} from 'node:fs';
import type {ReportLevel, Settings} from '../../config/settings.ts';
import type {DeniedPattern, ExecRules, Watch} from '../launch.ts';
import type {Machine} from '../machine.ts';
import {expandRoots} from './expand-roots.ts';
import type {Root} from './roots.ts';
import type {Protected} from './protected.ts';

export interface WatchInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: Protected;
  readonly gitFolders: readonly string[];
  /** Of denied_paths what no mount hides. */
  readonly denied: readonly DeniedPattern[];
  /** Absent: nothing is denied at exec. */
  readonly exec: ExecRules | undefined;
  /** Is anybody there to hear of each execution? */
  readonly tellExecs: boolean;
  /** Tell refused reads too. */
  readonly explain: boolean;
}

/** What the supervisor is told; undefined where there is no listener. */
export function planWatch(input: WatchInput): Watch | undefined {
  const {settings, machine, roots, protected: pins, gitFolders, denied, exec, tellExecs, explain} = input;
  if (!machine.features.listener) return undefined;
  const report = explain ? 'all' : settings.report.value;
  return {
    report,
    tellExecs,
    exec,
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

function real(file: string): string[] {
  try {
    return [realpathSync.native(file)];
  } catch {
    return [];
  }
}
