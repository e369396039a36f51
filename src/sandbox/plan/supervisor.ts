import type {ReportLevel, Settings} from '../../config/settings.ts';
import type {DeniedPattern, ExecRules, SupervisorRules} from '../launch.ts';
import type {Machine} from '../machine.ts';
import {expandRoots} from './expand-roots.ts';
import type {Root} from './roots.ts';
import type {ProtectedFiles} from './protected.ts';
import {realpathIfThere} from '../../system/real-path.ts';

export interface SupervisorInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: ProtectedFiles;
  readonly gitFolders: readonly string[];
  /** The entries of denied_paths that no mount hides. */
  readonly denied: readonly DeniedPattern[];
  /** Absent: nothing is denied at exec. */
  readonly exec: ExecRules | undefined;
  /** True if a supervisor sees each execution. */
  readonly reportsExecs: boolean;
  /** True if refused reads are reported too. */
  readonly explain: boolean;
}

/** The supervisor's rules; undefined without a listener. */
export function planSupervisor(input: SupervisorInput): SupervisorRules | undefined {
  const {
    settings,
    machine,
    roots,
    protected: protectedFiles,
    gitFolders,
    denied,
    exec,
    reportsExecs,
    explain,
  } = input;
  if (!machine.features.listener) return undefined;
  const report = explain ? 'all' : settings.report.value;
  return {
    report,
    reportsExecs,
    exec,
    readable: readable(roots, report),
    unixSockets: settings.unixSockets.map(({value}) => value),
    absent: protectedFiles.absent,
    denied,
    watched: [],
    nestedHooks: !settings.unprotect.some(({value}) => value === '.git/hooks'),
    nestedConfig: !settings.unprotect.some(({value}) => value === '.git/config'),
    gitFolders,
    devices: roots
      .filter(({grant}) => grant === 'device' || grant === 'append')
      .flatMap(({path: file}) => realpathIfThere(file)),
  };
}

/**
 * Files that may be read and executed. Refused reads are reported only on demand, and then exactly. For a refused execution the
 * supervisor first compares the path as written with the roots.
 */
function readable(roots: readonly Root[], report: ReportLevel): string[] {
  if (report === 'minimal') return [];
  const reads = (list: readonly Root[]): string[] =>
    list.filter(({grant}) => grant === 'read' || grant === 'view').map(({path: file}) => file);
  return report === 'all' ? reads(expandRoots(roots)).flatMap(realpathIfThere) : reads(roots);
}
