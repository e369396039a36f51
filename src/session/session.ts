import {closeSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {resolveConfig} from '../config/resolve.ts';
import {findRepositoryTop} from '../config/project.ts';
import type {ResolvedConfig, Settings} from '../config/settings.ts';
import {IonError} from '../errors.ts';
import {decide} from '../policy/decide.ts';
import type {Decision, PermissionState, ShellCommand} from '../policy/decision.ts';
import {
  outsideWorld,
  type Outcome,
  type RunEvent,
  type Running,
  type Stdio,
  type Watch,
  type World,
} from '../sandbox/backend.ts';
import {scrubEnvironment, type Environment} from '../sandbox/environment.ts';
import {sandboxFacts, type SandboxFacts} from '../sandbox/facts.ts';
import {backendName, prepareRuleset, probeMachine, startCommand, type Machine} from '../sandbox/machine.ts';
import {checkWorkspace, planRoots, type Root, type Surroundings} from '../sandbox/plan.ts';
import {findProtected, type Protected} from '../sandbox/protected.ts';
import {refuseUnenforceable} from '../sandbox/require.ts';
import {lookAround} from '../sandbox/surroundings.ts';
import {findBash} from './bash.ts';
import {analyzeCommand} from './analyze.ts';
import {checkCommand} from './command.ts';
import {planWatch} from './watch.ts';
import {planWorld} from './world.ts';
import {noTiming, type Timing} from './timing.ts';

/** The process that ion is, as data. */
export interface Host {
  readonly packageRoot: string;
  /** Where the user stood when ion started, canonical. Roots come from here, never from a command. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** The Node that runs ion. */
  readonly node: string;
  readonly timing?: Timing;
}

export interface SessionFlags {
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
  readonly configFile?: string;
  /** Report every execution (`--events`). */
  readonly tellExecs?: boolean;
}

export interface RunOptions {
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  readonly onEvent?: (event: RunEvent) => void;
}

export interface SessionRun extends Running {
  readonly outcome: Promise<Outcome>;
}

/** What lives as long as one caller of ion: resolved settings, the machine, the ruleset once it is built. */
export interface Session {
  readonly host: Host;
  readonly machine: Machine;
  readonly config: ResolvedConfig;
  readonly facts: SandboxFacts;
  decide(command: string): Promise<Decision>;
  /** Start a command that was decided on. Throws an IonError when the boundary cannot be set up: then nothing ran. */
  start(command: string, options: RunOptions): SessionRun;
  close(): void;
}

export async function openSession(host: Host, flags: SessionFlags = {}): Promise<Session> {
  const {timing = noTiming} = host;
  const repositoryTop = findRepositoryTop(host.cwd);
  const home = host.environment['HOME'];
  const config = await resolveConfig({
    cwd: host.cwd,
    home,
    env: host.environment,
    uid: host.uid,
    flags: {
      ...(flags.read ? {read: true} : {}),
      ...(flags.noSandbox ? {noSandbox: true} : {}),
      ...(flags.timeoutMs === undefined ? {} : {timeoutMs: flags.timeoutMs}),
    },
    ...(flags.configFile === undefined ? {} : {configFile: flags.configFile}),
    repositoryTop,
  });
  const {settings} = config;
  timing.mark('config');
  const machine = probeMachine(host.packageRoot);
  timing.mark('probe');
  const sandboxed = settings.sandbox.value !== false;
  const surroundings = lookAround({...host, home, repositoryTop});
  const roots = sandboxed ? plannedRoots(settings, surroundings, machine) : [];
  const environment = scrubEnvironment(host.environment, {
    exclude: settings.environment.exclude.map(({value}) => value),
    keep: settings.environment.keep.map(({value}) => value),
    set: Object.fromEntries(Object.entries(settings.environment.set).map(([name, {value}]) => [name, value])),
  });
  const pins = sandboxed ? protectedPaths(host, settings, surroundings, roots) : {existing: [], absent: []};
  const world = sandboxed ? planWorld({settings, machine, roots, protected: pins}) : outsideWorld;
  const workspace = surroundings.repositoryTop ?? surroundings.cwd;
  const searchPath = environment.variables['PATH'] ?? '';
  const watch = planWatch({
    settings,
    machine,
    roots,
    protected: pins,
    searchPath,
    workspace,
    tellExecs: flags.tellExecs ?? false,
  });
  const backend = backendName(machine, sandboxed);
  const facts = sandboxFacts({settings, surroundings, roots, environment, protected: pins, machine, backend});
  const context: Context = {
    host,
    settings,
    machine,
    surroundings,
    roots,
    environment,
    world,
    watch,
    sandboxed,
    ruleset: undefined,
  };
  const state = permissionState(context, config);
  timing.mark('plan');
  return {
    host,
    machine,
    config,
    facts,
    decide: async (command) => {
      checkCommand(command);
      const shell = await analyzeCommand(command, host);
      const decision = decide({tool: 'bash', class: 'shell', command: shell, paths: []}, state);
      if (backend !== 'app-level' && backend !== 'seccomp-only') return decision;
      const {checkNamedPaths} = await import('./path-check.ts');
      return checkNamedPaths(decision, shell, {settings, state, roots, environment: environment.variables});
    },
    start: (command, options) => start(context, command, options),
    close: () => {
      if (context.ruleset !== undefined && context.ruleset !== -1) closeSync(context.ruleset);
      context.ruleset = undefined;
    },
  };
}

interface Context {
  readonly host: Host;
  readonly settings: Settings;
  readonly machine: Machine;
  readonly surroundings: Surroundings;
  readonly roots: readonly Root[];
  readonly environment: Environment;
  readonly world: World;
  readonly watch: Watch | undefined;
  readonly sandboxed: boolean;
  /** Built at the first command, and used again while it holds for all of them. */
  ruleset: number | undefined;
}

function plannedRoots(settings: Settings, surroundings: Surroundings, machine: Machine): Root[] {
  const problem = checkWorkspace(settings, surroundings);
  if (problem) throw new IonError(problem.what, {help: problem.help});
  refuseUnenforceable(settings, machine.features);
  return planRoots(settings, surroundings).filter(({path: file, optional}) => !optional || existsSync(file));
}

function protectedPaths(
  host: Host,
  settings: Settings,
  surroundings: Surroundings,
  roots: readonly Root[],
): Protected {
  return findProtected({
    cwd: surroundings.cwd,
    repositoryTop: surroundings.repositoryTop,
    gitFolders: surroundings.gitFolders,
    packageRoot: host.packageRoot,
    protect: settings.protect.map(({value}) => value),
    unprotect: settings.unprotect.map(({value}) => value),
    writeRoots: roots.filter(({grant}) => grant === 'write').map(({path: file}) => file),
  });
}

function permissionState(
  {host, settings, surroundings, sandboxed, machine}: Context,
  config: ResolvedConfig,
): PermissionState {
  return {
    settings,
    cwd: host.cwd,
    home: surroundings.home ?? '/nonexistent',
    workspace: surroundings.repositoryTop ?? host.cwd,
    workspaceTrusted: config.layers.some(
      ({origin, trusted}) => origin.layer.startsWith('project') && trusted,
    ),
    interactive: false,
    taskRestrictions: {tools: [], commands: []},
    systemProgramFolders: ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
    execChecked: sandboxed && machine.features.listener,
  };
}

function start(context: Context, command: string, options: RunOptions): SessionRun {
  const {host, settings, machine, surroundings, environment, world, sandboxed} = context;
  const scratch = needsPrivateTemp(context) ? mkdtempSync(path.join(surroundings.temp, 'ion-')) : undefined;
  const remove = (): void => {
    // The tree is dead by now: nobody can swap a part of it for a link while it is removed.
    if (scratch) rmSync(scratch, {recursive: true, force: true});
  };
  let ruleset = -1;
  try {
    ruleset = sandboxed ? rulesetFor(context, scratch) : -1;
    host.timing?.mark('ruleset');
    const running = startCommand(
      machine,
      {
        argv: [
          findBash(environment.variables['PATH'] ?? '', surroundings.repositoryTop ?? host.cwd),
          '--norc',
          '-c',
          command,
        ],
        cwd: host.cwd,
        environment: {...environment.variables, ...(scratch ? {TMPDIR: scratch} : {})},
        network: sandboxed && settings.network.value !== 'full' && !world.networkNamespace ? 'none' : 'full',
        world: scratch ? withWritable(world, scratch) : world,
        watch: sandboxed ? context.watch : undefined,
        seccomp: machine.features.seccomp,
        scoped: machine.features.landlock >= 6,
        limits: launchLimits(settings),
        stdio: options.stdio,
        confined: sandboxed,
        onEvent: options.onEvent,
      },
      ruleset,
    );
    return {...running, outcome: running.outcome.finally(remove)};
  } catch (error) {
    remove();
    throw error;
  } finally {
    if (scratch && ruleset !== -1) closeSync(ruleset);
  }
}

function withWritable(world: World, folder: string): World {
  if (world.namespaces === 'none') return world;
  return {...world, mounts: {...world.mounts, writable: [...world.mounts.writable, folder].sort()}};
}

function needsPrivateTemp({settings, sandboxed}: Context): boolean {
  return sandboxed && (settings.tmp.value === 'private' || settings.mode.value === 'read');
}

function rulesetFor(context: Context, scratch: string | undefined): number {
  const network = context.settings.network.value === 'full' ? 'full' : 'none';
  if (scratch) {
    const own: Root = {path: scratch, grant: 'write', reason: 'private temp folder', optional: false};
    return prepareRuleset(context.machine, [...context.roots, own], network);
  }
  context.ruleset ??= prepareRuleset(context.machine, context.roots, network);
  return context.ruleset;
}

function launchLimits({limits}: Settings): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit?.value]));
}
