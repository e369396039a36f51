import type {ActionRecord, EventBodies, EventType} from '../../audit/events.ts';
import {canonicalJson} from '../../audit/canonical.ts';
import {redact} from '../../audit/redact.ts';
import type {IonError} from '../../errors.ts';
import {decide} from '../../policy/decide.ts';
import type {Action, Decision, HookVerdict, PermissionState} from '../../policy/decision.ts';
import {decisionRecord} from '../../policy/decision-record.ts';
import type {Grants, Remembered} from './grants.ts';
import type {HookInput, SpawnHook} from '../hooks/run-hooks.ts';
import {dropped, type Asker} from './ask.ts';
import {monotonicMs} from '../../system/clock.ts';

/** The functions that turn an action into a final decision: they run hooks, ask the user, remember answers and write events. */
export interface PermissionContext {
  /** The state before the session adds its grants and hook verdicts. */
  readonly state: PermissionState;
  readonly grants: Grants;
  readonly sessionId: string;
  /** Starts a hook in the sandbox of the action, or outside it if the launch explicitly requests that. */
  readonly spawnHook: SpawnHook;
  /** Absent: no question can be asked. */
  readonly asker?: Asker;
  /** The boundary that would apply, in one line, for the question. */
  readonly sandbox: string;
  readonly newId: () => string;
  readonly emit: <T extends EventType>(type: T, body: EventBodies[T]) => void;
  readonly warn: (problem: IonError | string) => void;
  readonly askTimeoutMs?: number;
  /** Cancels the question. */
  readonly signal?: AbortSignal;
  /** Called before a question is shown again, after Ctrl-Z. */
  readonly beforeAgain?: () => Promise<void>;
  /** Carries the answer out. Returns false if it is too late for that: then a yes is a no. */
  readonly apply?: (allowed: boolean) => Promise<boolean>;
}

export interface Request {
  readonly action: Action;
  readonly toolInput: Readonly<Record<string, unknown>>;
  /** Builds the action for an input with which a hook replaced the original. Absent: such a hook denies. */
  readonly rebuild?: (toolInput: Readonly<Record<string, unknown>>) => Promise<Action>;
}

export interface Resolved {
  readonly decision: Decision;
  /** The action that was decided on. It is not the requested one if a hook replaced the input. */
  readonly action: Action;
}

export async function resolvePermission(request: Request, context: PermissionContext): Promise<Resolved> {
  const {settings} = context.state;
  const started = monotonicMs();
  let {action} = request;
  let decision = decide(action, fullState(context, []));
  // A hard denial is final, so no hook needs to run.
  if (!decision.hard && settings.hooks.some(({event}) => event === 'PreToolUse')) {
    ({action, decision} = await withHooks(request, context));
  }
  const durationUs = Math.round((monotonicMs() - started) * 1000);
  context.emit('permission.evaluated', {
    ...decisionRecord(decision),
    action: actionRecord(action),
    duration_us: durationUs,
  });
  if (decision.effect === 'ask') decision = await withAnswer(decision, action, context);
  const problem = context.grants.count(decision);
  if (problem) context.warn(problem);
  return {decision, action};
}

/** Resolves a question that already exists: records it, asks it, and records the answer. */
export async function resolveQuestion(
  decision: Decision,
  action: Action,
  context: PermissionContext,
): Promise<Decision> {
  context.emit('permission.evaluated', {
    ...decisionRecord(decision),
    action: actionRecord(action),
    duration_us: null,
  });
  return decision.effect === 'ask' ? withAnswer(decision, action, context) : decision;
}

function fullState(
  {state, grants, asker}: PermissionContext,
  hookVerdicts: readonly HookVerdict[],
): PermissionState {
  return {...state, interactive: asker !== undefined, session: grants.state, hookVerdicts};
}

async function withHooks(
  {action, toolInput, rebuild}: Request,
  context: PermissionContext,
): Promise<Resolved> {
  const {runHooks} = await import('../hooks/run-hooks.ts');
  const {verdicts, events, warnings, updatedInput} = await runHooks(
    hookInput(action, toolInput, context),
    context.state.settings.hooks,
    context.spawnHook,
  );
  for (const event of events) context.emit('hook.finished', {...event, message: redact(event.message)});
  for (const warning of warnings) context.warn(warning);
  if (!updatedInput) return {action, decision: decide(action, fullState(context, verdicts))};
  if (!rebuild)
    return {action, decision: decide(action, fullState(context, [...verdicts, notReplaceable(verdicts)]))};
  const replaced = await rebuild(updatedInput);
  const {createHash} = await import('node:crypto');
  const updatedInputRef = `sha256:${createHash('sha256').update(canonicalJson(updatedInput)).digest('hex')}`;
  return {action: replaced, decision: {...decide(replaced, fullState(context, verdicts)), updatedInputRef}};
}

/** The original input must not run in place of the one that the hook chose. */
function notReplaceable([last]: readonly HookVerdict[]): HookVerdict {
  const because = 'a hook replaced the input, which is not possible here';
  return {effect: 'deny', because, origin: last?.origin ?? {layer: 'user'}, command: last?.command ?? ''};
}

function hookInput(action: Action, toolInput: Request['toolInput'], context: PermissionContext): HookInput {
  const [path] = action.paths;
  return {
    event: 'PreToolUse',
    sessionId: context.sessionId,
    cwd: context.state.cwd,
    permissionMode: context.state.settings.approval.value,
    tool: action.tool,
    toolInput,
    ...(path ? {file: path.requested} : {}),
    ...(action.command ? {command: action.command.text} : {}),
  };
}

async function withAnswer(decision: Decision, action: Action, context: PermissionContext): Promise<Decision> {
  const {asker, sandbox, newId, emit, askTimeoutMs, signal, beforeAgain} = context;
  // decide() has already denied every question that cannot be asked.
  if (!asker) return {...decision, effect: 'deny', reason: 'ask_unavailable'};
  const {grantedLine, grantedNameLine} = await import('./question.ts');
  const said = await asker.ask(decision, action, {
    sandbox,
    id: newId(),
    now: () => new Date(),
    ...(askTimeoutMs === undefined ? {} : {timeoutMs: askTimeoutMs}),
    signal,
    ...(beforeAgain ? {beforeAgain} : {}),
    requested: (body) =>
      emit('permission.requested', {...body, message: redact(body.message), action: actionRecord(action)}),
  });
  const applies = (await context.apply?.(said.reply !== 'no')) ?? true;
  const asked = applies || said.reply === 'no' ? said : dropped(decision, said);
  if (asked !== said) asker.say(`ion: ${asked.decision.message}`);
  const {persisted, problem, rule, listedIn}: Remembered = await context.grants.remember(
    asked.reply,
    decision,
    action,
  );
  if (problem) context.warn(problem);
  const granted = problem
    ? undefined
    : decision.networkName === undefined
      ? grantedLine(asked.reply, action, {...(rule && {rule}), lasts: context.grants.lasts()})
      : grantedNameLine(asked.reply, decision.networkName, {
          ...(listedIn === undefined ? {} : {shown: listedIn}),
          lasts: context.grants.lasts(),
        });
  // Shown on the terminal of the question, because stderr may be a file or another program's pipe.
  if (granted !== undefined) asker.say(granted);
  emit('permission.resolved', {
    approval_action_id: asked.decision.approvalActionId!,
    resolution: asked.resolution,
    decision: asked.decision.effect,
    decision_reason: asked.decision.reason,
    scope: asked.reply === 'no' ? 'once' : asked.reply,
    persisted,
  });
  return asked.decision;
}

export function actionRecord({tool, class: cls, command, paths, mcpServer}: Action): ActionRecord {
  return {
    tool,
    class: cls,
    command: command ? redact(command.text) : null,
    paths: paths.map(({resolved, access}) => ({path: resolved, access})),
    mcp_server: mcpServer ?? null,
  };
}
