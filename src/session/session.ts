import {closeSync} from 'node:fs';
import type {HookEvent, ResolvedConfig, Rule, Sourced} from '../config/settings.ts';
import type {Decided, Decision} from '../policy/decision.ts';
import type {Running} from '../sandbox/launch.ts';
import {sandboxFacts, type SandboxFacts} from '../sandbox/facts.ts';
import {dismissLauncher, type Machine} from '../sandbox/machine.ts';
import {asReader, boundaryOf} from '../sandbox/boundary.ts';
import type {Host} from './host.ts';
import {networkAsksOf} from './network-wait.ts';
import {openPlan, planRun, type RunPlan} from './run-plan.ts';
import type {SessionFlags} from './session-flags.ts';
import type {Audience} from './report/audience.ts';
import type {IsSilent} from '../system/silent-paths.ts';
import type {Ending} from './ending.ts';
import {grantsOf, openDecider, type HookDetails, type ToolCall} from './decider.ts';
import type {Emit} from './emit.ts';
import {expectedWrites} from './report/expected.ts';
import {terminalSession} from './ask/terminal-session.ts';
import {startAsking} from './live-questions.ts';
import type {RunOptions} from './start.ts';
import {openableRepository} from '../sandbox/plan/workspace.ts';

export type {Host} from './host.ts';
export type {SessionFlags} from './session-flags.ts';

/**
 * State that lasts as long as one caller of ion: resolved settings, the machine, grants, the ruleset once it is
 * built.
 */
export interface Session {
  readonly host: Host;
  readonly machine: Machine;
  /** For the paths that a command names: ion itself must not wait for a file system that does not answer. */
  readonly isSilent: IsSilent;
  readonly config: ResolvedConfig;
  /** The rules of the settings, and the rules that ion stores. */
  readonly rules: readonly Rule[];
  /** Paths that rules deny. On this machine only the check of the command's text enforces them. */
  readonly textOnlyPaths: readonly Sourced<string>[];
  readonly facts: SandboxFacts;
  /** Paths whose refusal is expected, by toolchain presets or for every program: recorded, without a closing line. */
  readonly expected: readonly string[];
  /** Ends hooks and questions when a signal ends ion. */
  readonly ending: Ending;
  readonly eventsFile: string | undefined;
  /** The name of the terminal session (terminal-session.ts). A process stays in its session, so it is read once. */
  readonly terminalSession: () => string | undefined;
  readonly audience: Audience;
  /**
   * The approval setting that asks for the network. Set while the network is "none" because it is not approved yet.
   */
  readonly networkAsks: ResolvedConfig['settings']['approval'] | undefined;
  /** The repository around the workspace that sandbox.workspace = "repository" would make writable. */
  readonly openableRepository: string | undefined;
  /**
   * Decides, with hooks and questions. Nothing of the command runs. `searchPath` is the command's PATH, if an earlier command of
   * the prompt has changed it.
   */
  decide(command: string, emit?: Emit, cwd?: string, searchPath?: string): Promise<Decided>;
  /** Decides without hooks, questions or counting, for `ion check`. */
  preview(command: string): Promise<Decided>;
  /** The same for a tool that takes paths, or an MCP tool. */
  previewTool(tool: string, operands: readonly string[]): Promise<Decided>;
  /** Decides about a tool, with hooks and questions. `input` is the input of the hooks. */
  decideTool(call: ToolCall, emit?: Emit): Promise<Decided>;
  /**
   * Reports whether the network waits for an approval and this decision includes it. Then the command runs in a
   * session of its own.
   */
  approvesNetwork(decided: Decided): Promise<boolean>;
  /** Asks for the network after it was refused to the command. Undefined if it did not wait. */
  decideNetwork(decided: Decided, emit: Emit): Promise<Decision | undefined>;
  /** Runs the hooks of an event that decides nothing: SessionStart, PostToolUse, Stop, PreCompact. */
  notify(event: HookEvent, emit: Emit, reported?: HookDetails): Promise<void>;
  /** Starts a command that was allowed. Throws an IonError when the boundary cannot be set up: then nothing ran. */
  start(command: string, options: RunOptions): Promise<Running>;
  /** The same session with read mode's boundary, for a command that was approved because it only reads. */
  reader(): Promise<Session>;
  /** The same session, for commands with these variables instead of the host's. */
  withEnvironment(environment: Host['environment']): Promise<Session>;
  /** The same session, for commands with these variables besides the host's. The boundary is that of the host's. */
  withVariables(added: Readonly<Record<string, string>>): Promise<Session>;
  close(): void;
}

export async function openSession(host: Host, flags: SessionFlags): Promise<Session> {
  return sessionOf(await openPlan(host, flags), flags);
}

/** Opens a session, uses it and closes it, even after an error. */
export async function withSession<T>(
  host: Host,
  flags: SessionFlags,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession(host, flags);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

function sessionOf(plan: RunPlan, flags: SessionFlags, grants = grantsOf(plan)): Session {
  const {host, planning} = plan;
  let reader: Promise<Session> | undefined;
  let terminal: {readonly name: string | undefined} | undefined;
  const decider = openDecider(plan, grants);
  const session: Session = {
    host,
    machine: plan.machine,
    isSilent: plan.isSilent,
    config: plan.config,
    rules: plan.rules,
    textOnlyPaths: plan.textOnlyPaths,
    facts: sandboxFacts(plan),
    expected: [...plan.toolchains.expected, ...expectedWrites(host.environment['HOME'])],
    ending: plan.ending,
    eventsFile: flags.eventsFile,
    terminalSession: () => (terminal ??= {name: terminalSession()}).name,
    audience: audienceOf(flags, plan.config.lock !== undefined),
    networkAsks: networkAsksOf(plan),
    openableRepository: openableRepository(plan.settings, plan.inputs),
    decide: decider.decide,
    preview: decider.preview,
    previewTool: decider.previewTool,
    decideTool: decider.decideTool,
    approvesNetwork: decider.approvesNetwork,
    decideNetwork: decider.decideNetwork,
    notify: decider.notify,
    start: (command, options) => startAsking(plan, decider, command, options),
    reader() {
      const {configuredNetwork: _, config, ...rest} = planning;
      if (boundaryOf(config.settings) === 'read') return Promise.resolve(session);
      return (reader ??= planRun({
        ...rest,
        config: {...config, settings: asReader(config.settings)},
      }).then((made) => sessionOf(made, flags, grants)));
    },
    withEnvironment: async (environment) =>
      sessionOf(await planRun({...planning, host: {...host, environment}}), flags, grants),
    withVariables: async (added) => sessionOf(await planRun({...planning, added}), flags, grants),
    close: () => {
      decider.close();
      void reader?.then((one) => one.close());
      dismissLauncher(plan.machine, plan.waiting);
      plan.waiting = undefined;
      if (plan.ruleset !== undefined && plan.ruleset !== -1) closeSync(plan.ruleset);
      plan.ruleset = undefined;
    },
  };
  return session;
}

/** The program that uses the library may ask for a person's advice in any case. Otherwise a lock allows none. */
function audienceOf({audience}: SessionFlags, isLocked: boolean): Audience {
  return isLocked && audience !== 'person' ? 'program' : (audience ?? 'person');
}
