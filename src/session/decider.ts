import {namedNetwork} from '../config/network/network-table.ts';
import {workspaceFolder} from '../sandbox/plan/workspace.ts';
import {exitCodes, IonError} from '../errors.ts';
import {actionClasses} from '../policy/action-classes.ts';
import {decide} from '../policy/decide.ts';
import {decisionRecord} from '../policy/decision-record.ts';
import type {Action, Decided, Decision, PermissionState, ShellCommand} from '../policy/decision.ts';
import {openLinks} from '../system/links.ts';
import {analyzeCommand} from './analyze-command.ts';
import {checkCommand} from './command-text.ts';
import type {HookEvent, Settings} from '../config/settings.ts';
import type {Emit} from './emit.ts';
import {networkAsksOf} from './network-wait.ts';
import {permissionState} from './permission-state.ts';
import {refusedNames, withPathCheck} from './refused-by-sandbox.ts';
import type {RunPlan} from './run-plan.ts';
import {openGrants, type Grants} from './ask/grants.ts';
import {openHookRunner} from './hooks/hook-runner.ts';
import {
  actionRecord,
  resolvePermission,
  resolveQuestion,
  type PermissionContext,
} from './ask/resolve-permission.ts';
import {randomRunId} from '../system/run-id.ts';
import type {Asker} from './ask/ask.ts';
import type {NameQuestions} from './ask/name-questions.ts';

/** The input of a hook beyond the input of all hooks. */
export interface HookDetails {
  /** The command that has ended. */
  readonly after?: {readonly command: string; readonly exitCode: number};
  /** Fields that only this event has. The caller's fields override the usual ones. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The values that Claude Code uses by default. */
const usual: Partial<Record<HookEvent, Readonly<Record<string, unknown>>>> = {
  SessionStart: {source: 'startup'},
  Stop: {stop_hook_active: false},
  PreCompact: {trigger: 'manual', custom_instructions: ''},
};

/** A call of a tool other than bash. */
export interface ToolCall {
  /** `read`, or `mcp:<server>/<tool>`. */
  readonly tool: string;
  /** The paths that it is called with. */
  readonly operands: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Decider {
  /** Runs the hooks of an event that decides nothing. */
  readonly notify: (event: HookEvent, emit: Emit, reported?: HookDetails) => Promise<void>;
  /** `cwd` is given if the command does not start in the session's own folder. */
  readonly decide: (command: string, emit?: Emit, cwd?: string, searchPath?: string) => Promise<Decided>;
  readonly preview: (command: string) => Promise<Decided>;
  readonly approvesNetwork: (decided: Decided) => Promise<boolean>;
  readonly decideNetwork: (decided: Decided, emit: Emit) => Promise<Decision | undefined>;
  readonly nameQuestions: (action: Action, emit: Emit) => Promise<NameQuestions | undefined>;
  readonly previewTool: (tool: string, operands: readonly string[]) => Promise<Decided>;
  readonly decideTool: (call: ToolCall, emit?: Emit) => Promise<Decided>;
  readonly close: () => void;
}

/** The grants that answers gave to the commands of this plan. */
export function grantsOf({host, config}: RunPlan): Grants {
  return openGrants(host.home, config.workspace);
}

/** Decides about the commands of one session. */
export function openDecider(plan: RunPlan, grants: Grants): Decider {
  const {host, settings, inputs} = plan;
  const sessionId = randomRunId();
  const hooks = openHookRunner(plan);
  let prepared: Promise<PermissionState> | undefined;
  const state = (): Promise<PermissionState> => (prepared ??= permissionState(plan));

  const permissionContext = (
    asked: PermissionState,
    emit: Emit,
    asker: Asker | undefined,
    network: string,
  ): PermissionContext => ({
    state: asked,
    grants,
    sessionId,
    spawnHook: noHooks,
    ...(asker ? {asker} : {}),
    sandbox: `${plan.backend}, ${settings.mode.value} mode in ${workspaceFolder(settings, inputs)}, network = "${network}"`,
    newId: randomRunId,
    ...(plan.planning.flags.askTimeoutMs === undefined
      ? {}
      : {askTimeoutMs: plan.planning.flags.askTimeoutMs}),
    emit,
    warn: (problem) => host.warn?.(problem),
  });
  /**
   * Calls `use` with an asker, if a question may be needed and can be answered. A signal that ends ion cancels the
   * question.
   */
  const withAsker = async <T>(
    asked: PermissionState,
    use: (asker: Asker | undefined) => Promise<T>,
  ): Promise<T> => {
    const asker = mayAsk(asked.settings) ? await askerOf(plan, grants) : undefined;
    try {
      return await plan.ending.during(() => asker?.cancel(), use(asker));
    } finally {
      asker?.close();
    }
  };

  return {
    close: hooks.close,
    async notify(event, emit, {after, extra} = {}) {
      if (!settings.hooks.some((hook) => hook.event === event)) return;
      const {runHooks} = await import('./hooks/run-hooks.ts');
      const input = {
        event,
        sessionId,
        cwd: host.cwd,
        permissionMode: settings.approval.value,
        extra: {...usual[event], ...extra},
        ...(after
          ? {
              tool: 'bash',
              toolInput: {command: after.command},
              toolResponse: {exit_code: after.exitCode},
              command: after.command,
            }
          : {}),
      };
      const spawn = await hooks.spawner(event);
      const {events, warnings} = await runHooks(input, settings.hooks, spawn);
      for (const finished of events) emit('hook.finished', finished);
      for (const warning of warnings) host.warn?.(warning);
    },
    async preview(command) {
      const action = await shellAction(command, plan);
      return withPathCheck(plan, await state(), {action, decision: decide(action, await state())});
    },
    async previewTool(tool, operands) {
      const {folderOfPattern, toolAction} = await import('./tool-action.ts');
      const permissions = await state();
      const paths =
        tool === 'glob' ? operands.map((one) => folderOfPattern(one, permissions.home)) : operands;
      const action = toolAction(tool, paths, permissions);
      const decision = decide(action, permissions);
      return {action, decision: {...decision, notes: [...decision.notes, ...refusedNames(action, plan)]}};
    },
    async decideTool({tool, operands, input}, emit = () => undefined) {
      const {toolAction} = await import('./tool-action.ts');
      const permissions = await state();
      const action = toolAction(tool, operands, permissions);
      const spawn = settings.hooks.length > 0 ? await hooks.spawner('PreToolUse') : noHooks;
      const decided = await withAsker(permissions, (asker) =>
        resolvePermission(
          {action, toolInput: input},
          {
            ...permissionContext(permissions, emit, asker, namedNetwork(settings.network.value)),
            spawnHook: spawn,
          },
        ),
      );
      const notes = [...decided.decision.notes, ...refusedNames(action, plan)];
      return {action: decided.action, decision: {...decided.decision, notes}};
    },
    async approvesNetwork({action, decision}) {
      if (!networkAsksOf(plan)) return false;
      const {approvesNetwork} = await import('../policy/network-approval.ts');
      return approvesNetwork(action, decision, {...(await state()), session: grants.state});
    },
    async decideNetwork({action}, emit) {
      if (!networkAsksOf(plan)) return undefined;
      const {networkQuestion} = await import('../policy/network-approval.ts');
      const asked = await state();
      return withAsker(asked, (asker) =>
        resolveQuestion(
          networkQuestion(action, {...asked, interactive: asker !== undefined, session: grants.state}),
          action,
          permissionContext(asked, emit, asker, namedNetwork(plan.configuredNetwork.value)),
        ),
      );
    },
    async nameQuestions(action, emit) {
      const asker = await askerOf(plan, grants);
      if (!asker) return undefined;
      asker.close();
      const {openNameQuestions} = await import('./ask/name-questions.ts');
      const asked = await state();
      return openNameQuestions({
        action,
        state: asked,
        withAsker: (use) => withAsker(asked, use),
        context: (asker) => permissionContext(asked, emit, asker, namedNetwork(settings.network.value)),
      });
    },
    async decide(command, emit = () => undefined, cwd = host.cwd, searchPath) {
      const action = await shellAction(command, plan, cwd, searchPath);
      const permissionsState = startingIn(cwd, await state());
      const spawn = settings.hooks.length > 0 ? await hooks.spawner('PreToolUse') : noHooks;
      return withAsker(permissionsState, async (asker) => {
        const network = shownNetwork(action, permissionsState, settings);
        const decided = await resolvePermission(
          {
            action,
            toolInput: {command},
            rebuild: async ({command: other}) => shellAction(replacement(other), plan, cwd, searchPath),
          },
          {...permissionContext(permissionsState, emit, asker, network), spawnHook: spawn},
        );
        const checked = await withPathCheck(plan, permissionsState, decided);
        if (checked !== decided) {
          const record = {
            ...decisionRecord(checked.decision),
            action: actionRecord(checked.action),
            duration_us: null,
          };
          emit('permission.evaluated', record);
        }
        return checked;
      });
    },
  };
}

/** Returns the host's asker, else the user at the terminal. Under a lock ion asks no questions. */
async function askerOf({host, config}: RunPlan, grants: Grants): Promise<Asker | undefined> {
  if (config.lock || host.asker === 'none') return undefined;
  if (host.asker) return host.asker.isAvailable?.() === false ? undefined : host.asker;
  const {openTerminal} = await import('./ask/terminal.ts');
  const terminal = openTerminal(host);
  if (!terminal) return undefined;
  await attachTerminalSession(grants, host.home);
  const {terminalAsker} = await import('./ask/ask.ts');
  return terminalAsker(terminal);
}

function startingIn(cwd: string, state: PermissionState): PermissionState {
  return cwd === state.cwd ? state : {...state, cwd, openLinks: () => openLinks(cwd)};
}

/** If a question can be asked, answers apply to the whole terminal session. A headless run has none. */
export async function attachTerminalSession(grants: Grants, home: string | undefined): Promise<void> {
  const [{terminalSession}, {openSessionStore}] = await Promise.all([
    import('./ask/terminal-session.ts'),
    import('./ask/session-store.ts'),
  ]);
  const session = terminalSession();
  if (session !== undefined && home) grants.attach(openSessionStore(home, session));
}

/** The network that the command would get after a yes. */
function shownNetwork(action: Action, state: PermissionState, {network}: Settings): string {
  return namedNetwork(
    actionClasses(action, state).has('network') ? state.settings.network.value : network.value,
  );
}

/** The command with which a hook replaces the requested one. */
function replacement(command: unknown): string {
  if (typeof command === 'string' && command.trim() !== '') return command;
  throw new IonError('denied: a PreToolUse hook replaced the input with one that has no command', {
    help: 'its "updatedInput" must be an object with a string "command"',
    exitCode: exitCodes.denied,
  });
}

/** By default nothing asks. Then ion does not even open the terminal. */
function mayAsk(settings: Settings): boolean {
  return (
    settings.approval.value !== 'never' ||
    settings.rules.length > 0 ||
    settings.hooks.length > 0 ||
    Object.keys(settings.frames).length > 0
  );
}

async function shellAction(
  command: string,
  {host, environment, isSilent}: RunPlan,
  cwd = host.cwd,
  searchPath = environment.variables['PATH'],
): Promise<Action & {readonly command: ShellCommand}> {
  checkCommand(command);
  // The PATH that the command will see: in read mode it has no relative folders.
  const seen = {cwd, environment: {PATH: searchPath}, isSilent};
  return {tool: 'bash', class: 'shell', command: await analyzeCommand(command, seen), paths: []};
}

const noHooks = (): Promise<never> => Promise.reject(new Error('the config has no hooks'));
