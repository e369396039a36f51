import type {ActionRecord} from '../../audit/events.ts';
import {exitCodes, IonError, isIonError, quoted, renderMessage} from '../../errors.ts';
import type {AutorunEvent} from '../../sandbox/run-event.ts';
import type {Decision} from '../../policy/decision.ts';
import {finishedRecord, openRecorder, type Recorder} from '../../session/recorder.ts';
import {adviceTo} from '../../session/report/audience.ts';
import type {CountedViolation} from '../../session/report/refusal.ts';
import {messageFor} from '../../session/report/message-for.ts';
import {autorunRecord, refusingSettings, violationRecord} from '../../session/report/violations.ts';
import {recordStart} from '../../session/run-record.ts';
import type {Session} from '../../session/session.ts';
import {isWithin} from '../../system/is-within.ts';
import {monotonicMs} from '../../system/clock.ts';
import {WorkerError, type FileWorker} from './file-worker.ts';
import type {Serving} from './serving.ts';
import {denialLine, denialRecord, failure, type ToolResult} from './tool-result.ts';
import type {Call} from './tool-table.ts';

declare const ION_VERSION: string;

export interface FileRequest {
  readonly tool: 'read' | 'write' | 'edit' | 'glob' | 'grep' | 'ls';
  /** The path from the host: absolute, or relative to the workspace. */
  readonly path: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/**
 * Carries out one file tool: decides, then lets the worker do it inside the sandbox. The path is resolved for the decision only.
 * The boundary is the sandbox.
 */
export async function fileCall(
  serving: Serving,
  worker: FileWorker,
  {tool, path, request}: FileRequest,
  call: Call,
  show: (result: never) => ToolResult,
): Promise<ToolResult> {
  const {session} = worker;
  const recorder = openRecorder(serving.log, undefined);
  const startedAt = monotonicMs();
  const started: ActionRecord = {tool, class: 'read', command: null, paths: [], mcp_server: null};
  recordStart(recorder, session, started, ION_VERSION);
  let [code, denial]: [number, string | undefined] = [exitCodes.failed, undefined];
  try {
    refuseUrl(path);
    const decided = await session.decideTool(
      {tool, operands: [path], input: {...request, path}},
      recorder.emit,
    );
    const {action, decision} = decided;
    if (decision.effect !== 'allow') {
      code = exitCodes.denied;
      denial = recorder.newRefusalId();
      return deniedResult(session, decision, denial);
    }
    const target = action.paths[0]!;
    try {
      const result = await worker.call(tool, {...request, path: target.resolved}, call.signal);
      const repairs = isOfGit(target) ? await worker.verify() : [];
      code = repairs.length === 0 ? 0 : 1;
      if (repairs.length === 0) return show(result as never);
      return repaired(repairs, serving, session, recorder);
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      code = 1;
      const refused = boundaryCodes.has(error.code) ? refusalOf(session, target, recorder) : undefined;
      return refused ? refusedByBoundary(serving, refused) : failed(tool, path, error);
    }
  } catch (error) {
    // A path that leads nowhere: nothing was decided, and nothing was touched.
    if (isIonError(error)) return undecided(error);
    throw error;
  } finally {
    recorder.emit(
      'run.finished',
      finishedRecord({
        interrupted: undefined,
        code,
        startedAt,
        violationRefs: recorder.violationRefs(),
        denial,
      }),
    );
    recorder.flush();
  }
}

/** A model may give a URL. As a path, `file:///a` would make a folder named `file:` in the workspace. */
function refuseUrl(path: string): void {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path))
    throw new IonError(`${quoted(path)} is a URL`, {help: 'give a path'});
}

function undecided({message, help}: IonError): ToolResult {
  const code = 'NOT_DECIDED';
  return failure(renderMessage({text: message, help}), {denied: false, code, message});
}

/** A change of git's own files may be undone: git obeys some of them outside the sandbox. */
function isOfGit({resolved, access}: Target): boolean {
  return access !== 'read' && /\/\.git(?:\/|$)/.test(resolved);
}

function repaired(
  repairs: readonly AutorunEvent[],
  serving: Serving,
  {audience}: Session,
  recorder: Recorder,
): ToolResult {
  const records = repairs.map((event) => {
    const record = autorunRecord(event, recorder.newRefusalId());
    recorder.emit('sandbox.violation', record);
    return {
      ...record,
      would_allow: adviceTo(audience, record.would_allow ?? undefined, record.violation_id) ?? null,
    };
  });
  serving.remember(records);
  const lines = repairs.map((event) => renderMessage({text: messageFor({kind: 'repair', event}).text}));
  return failure(lines.join(''), {denied: false, code: 'REPAIRED', denials: records.map(denialRecord)});
}

const boundaryCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

function deniedResult(
  {audience}: Session,
  {message, help, reason, source}: Decision,
  id: string,
): ToolResult {
  const advice = adviceTo(audience, help, id);
  return failure(renderMessage({text: message, help: advice}), {
    denied: true,
    message,
    reason,
    source,
    denial_id: id,
    help: advice ?? null,
  });
}

type Target = {readonly resolved: string; readonly access: 'read' | 'write' | 'delete'};

/**
 * The part of the boundary that refused the access. Undefined if the path is inside: then the permissions of the file refused it.
 */
function refusalOf(session: Session, {resolved, access}: Target, recorder: Recorder) {
  const {facts, expected} = session;
  const isReading = access === 'read';
  const roots = isReading ? [...facts.readRoots, ...facts.writeRoots] : facts.writeRoots;
  const isInside = roots.some((root) => isWithin(resolved, root));
  const isProtected = [...facts.protected.existing, ...facts.protected.absent].some((one) =>
    isWithin(resolved, one),
  );
  if (isInside && (isReading || !isProtected)) return undefined;
  const violation: CountedViolation = {
    number: 0,
    operation: isReading ? 'read' : 'write',
    syscall: 'openat',
    rule: isReading ? 'unreadable' : isInside ? 'protected' : 'outside',
    pid: process.pid,
    program: 'ion mcp',
    target: resolved,
    detail: '',
    count: 1,
  };
  const record = violationRecord(violation, recorder.newRefusalId(), refusingSettings(session), {expected});
  recorder.emit('sandbox.violation', record);
  const help = adviceTo(session.audience, record.would_allow ?? undefined, record.violation_id) ?? null;
  return {...record, would_allow: help};
}

function refusedByBoundary(serving: Serving, record: NonNullable<ReturnType<typeof refusalOf>>): ToolResult {
  serving.remember([{...record}]);
  return failure(denialLine({...record}), {
    denied: false,
    code: 'EACCES',
    message: `the sandbox refused it: ${record.rule}`,
    denials: [denialRecord({...record})],
  });
}

function failed(tool: string, path: string, {code, message}: WorkerError): ToolResult {
  const text = `${tool} ${quoted(path)}: ${message}`;
  return failure(renderMessage({text}), {denied: false, code, message});
}
