import {existsSync} from 'node:fs';
import path from 'node:path';
import {findRefusedRun, type RecordedViolation, type RefusedRun, type WhichRun} from '../audit/refusals.ts';
import {findRepositoryTop} from '../config/read/start-folder.ts';
import {IonError, isIonError, quoted} from '../errors.ts';
import {isInsideRun} from '../sandbox/linux/inside-run.ts';
import type {Violation} from '../sandbox/violation.ts';
import {terminalSession} from '../session/ask/terminal-session.ts';
import {homeOf} from './home-of.ts';
import type {Host} from '../session/host.ts';
import type {Audience} from '../session/report/audience.ts';
import {networkAsksOf} from '../session/network-wait.ts';
import {openPlan} from '../session/run-plan.ts';
import type {ProposalInputs, Refused} from '../session/report/proposals.ts';
import {refusingSettings} from '../session/report/violations.ts';
import {openableRepository} from '../sandbox/plan/workspace.ts';
import {realpathOrUndefined} from '../system/real-path.ts';

/** The refusals of a run from the log, and the current settings, which decide about the advice. */
export interface RecordedRefusals {
  readonly run: RefusedRun;
  /** The boundary's refusals that name their rule. */
  readonly refused: readonly Refused[];
  /** Limits that were reached, and changes that were found after the run. */
  readonly others: readonly RecordedViolation[];
  /** Whether an id was asked for. Always true if no single refusal was. */
  readonly asksFor: (id: string) => boolean;
  readonly inputs: ProposalInputs;
  readonly reader: Audience;
  readonly plan: Awaited<ReturnType<typeof openPlan>>;
}

/** `id` names a refusal or a run. Without it: the latest run of this terminal session in this workspace. */
export async function recordedRefusals(host: Host, id: string | undefined): Promise<RecordedRefusals> {
  const plan = await openPlan(host, {for: 'preview'});
  const {workspace} = plan.config;
  const home = homeOf(host);
  if (id !== undefined && !/^[\da-f]{4,32}(?:-\d+)?$/.test(id))
    throw new IonError(`${quoted(id)} is not the id of a refusal`, {help: listsRuns});
  const which = id === undefined ? {workspace, terminalSession: terminalSession() ?? null} : {id};
  const run = findRun(path.join(home, '.ion/audit'), which, host);
  if (run === 'several')
    throw new IonError(`${quoted(id!)} matches the ids of several runs`, {help: listsRuns});
  if (!run) throw notFound(id);
  const asksFor = (one: string): boolean => id === undefined || !id.includes('-') || one === idIn(run, id);
  const known = run.violations.filter(({violation_id: one}) => asksFor(one));
  if (id?.includes('-') && known.length === 0 && run.denial?.id !== idIn(run, id)) throw notFound(id);
  const settings = {
    ...refusingSettings({
      config: plan.config,
      rules: plan.rules,
      eventsFile: undefined,
      networkAsks: networkAsksOf(plan),
      openableRepository: openableRepository(plan.settings, plan.inputs),
      host,
    }),
    boundary:
      run.boundary === 'read' || run.boundary === 'read-kernel' ? ('read' as const) : ('write' as const),
    approvedAsRead: run.boundary === 'read' && run.mode === 'write',
  };
  const homes = [host.home, ...host.otherHomes].filter((one) => one !== undefined);
  return {
    run,
    refused: known.filter(({rule}) => rule !== null && rule !== undefined).map(refusedOf),
    others: known.filter(({rule}) => rule === null || rule === undefined),
    asksFor,
    inputs: {settings, homes, workspace, realOf, exists: existsSync, repositoryOf: findRepositoryTop},
    reader: plan.config.lock ? 'program' : (host.reader ?? 'person'),
    plan,
  };
}

function findRun(folder: string, which: WhichRun, {packageRoot}: Host): ReturnType<typeof findRefusedRun> {
  try {
    return findRefusedRun(folder, which);
  } catch (error) {
    if (!isIonError(error) || !isInsideRun(packageRoot)) throw error;
    throw new IonError('a command in the sandbox does not see what was refused', {
      help: "at ion's prompt: /why, /allow; in a shell: the same command without ion run",
      cause: error,
    });
  }
}

const listsRuns = '"ion audit list --violations" lists the runs with refusals';

function notFound(id: string | undefined): IonError {
  return id === undefined
    ? new IonError('no run of this terminal session in this workspace is in the audit log', {
        help: `${listsRuns}; ion why <run>`,
      })
    : new IonError(`there is no refusal ${quoted(id)} in the audit log`, {help: listsRuns});
}

/** The full id of a refusal whose run was given by a prefix. */
function idIn({run}: RefusedRun, id: string): string {
  return `${run}-${id.slice(id.indexOf('-') + 1)}`;
}

function refusedOf(one: RecordedViolation): Refused {
  return {
    id: one.violation_id,
    expected: one.expected,
    violation: {
      number: 0,
      operation: one.operation as Violation['operation'],
      syscall: one.syscall ?? '',
      rule: one.rule as Violation['rule'],
      pid: one.pid ?? 0,
      program: one.program ?? '',
      target: one.path ?? '',
      detail: one.detail ?? '',
      count: one.count,
      failed: one.program_failed ?? false,
      asked: {chain: one.chain, whole: one.chain_complete},
    },
  };
}

/** The real path. For a missing file, resolves its nearest existing folder. */
function realOf(file: string): string {
  for (let at = file; ; at = path.dirname(at)) {
    const real = realpathOrUndefined(at);
    if (real !== undefined) return path.join(real, path.relative(at, file));
    if (at === path.dirname(at)) return file;
  }
}
