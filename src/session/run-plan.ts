import {existsSync} from 'node:fs';
import {resolveConfig} from '../config/read/resolve.ts';
import {tomlString} from '../config/read/render.ts';
import {findRepositoryTop} from '../config/read/start-folder.ts';
import type {ResolvedConfig, Rule, Settings, Sourced} from '../config/settings.ts';
import {IonError, quoted} from '../errors.ts';
import {noNamespaces, type SupervisorRules, type Namespaces} from '../sandbox/launch.ts';
import type {Environment} from '../sandbox/plan/scrub-environment.ts';
import {
  backendName,
  existing,
  prepareLauncher,
  probeMachine,
  type BackendName,
  type Machine,
  type WaitingLauncher,
} from '../sandbox/machine.ts';
import {boundaryOf, withinBoundary} from '../sandbox/boundary.ts';
import {closedToExecution, systemProgramRoots, withoutExecution} from '../sandbox/plan/no-execution.ts';
import {checkWorkspace, planRoots, writeRoots, type Root, type PlanInputs} from '../sandbox/plan/roots.ts';
import {findProtected, type ProtectedFiles} from '../sandbox/plan/protected.ts';
import {refuseEventsFile, refuseOpen, refuseOpenReading, refuseUnenforceable} from '../sandbox/require.ts';
import {gatherPlanInputs} from '../sandbox/plan/plan-inputs.ts';
import {noToolchains, type ToolchainPlan} from '../sandbox/toolchains/plan-toolchains.ts';
import {asksForNetwork} from '../policy/network-approval.ts';
import {enforcedBy, type ProtectionId} from '../sandbox/matrix.ts';
import {activeFrame, framePath} from '../policy/stages/gates-stage.ts';
import {deniesCommands} from '../policy/rules/compare-rules.ts';
import {isInert} from '../shell/parse/inert-text.ts';
import type {Audience} from './report/audience.ts';
import {nothingDenied, planDenied} from '../sandbox/plan/denied.ts';
import {openEnding, type Ending} from './ending.ts';
import {commandEnvironment} from './command-environment.ts';
import type {RerunGrant} from './ask/rerun.ts';
import {noTiming, type Timing} from './timing.ts';
import {hasControllingTerminal} from '../system/controlling-terminal.ts';
import {storedRules} from './ask/stored-rules.ts';
import {etcFolder, etcSecrets} from '../sandbox/plan/system-roots.ts';
import {planSupervisor} from '../sandbox/plan/supervisor.ts';
import {rulePaths} from '../sandbox/plan/rule-paths.ts';
import {planNamespaces} from '../sandbox/plan/namespaces.ts';

/** The process that ion is, as data. */
export interface Host {
  readonly packageRoot: string;
  /** Where the user stood when ion started, canonical. Roots come from here, never from a command. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whose `~/.ion` counts. */
  readonly home: string | undefined;
  /** What else may be meant by home: HOME, or the passwd entry's. */
  readonly otherHomes: readonly string[];
  /** Why HOME does not count. */
  readonly homeRefused?: string | undefined;
  readonly machineConfig: string;
  readonly uid: number;
  /** The Node that runs ion. */
  readonly node: string;
  readonly timing?: Timing;
  /** Problems that stop nothing: a grant that could not be written, a hook that failed. */
  readonly warn?: (problem: IonError | string) => void;
}

/**
 * What a session is opened for: one command (`run`), decisions alone (`preview`: nothing is started or made), the hooks of an agent's
 * event (`hooks`), or many commands (`serve`).
 */
export type Purpose = 'run' | 'preview' | 'hooks' | 'serve';

export interface SessionFlags {
  readonly for: Purpose;
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
  readonly configFile?: string;
  /** `--set`. */
  readonly sets?: readonly string[];
  /** Report every execution (`--events`). */
  readonly tellExecs?: boolean;
  /** A file that events are appended to, canonical: out of the command's reach. */
  readonly eventsFile?: string | undefined;
  /** Report refused reads too. */
  readonly explain?: boolean;
  /** No file of the workspace, of temp folders and write roots executes, whatever the mode. */
  readonly closesWorkspace?: boolean;
  /** ConfigRequest's. */
  readonly showsTrust?: boolean;
  /** Of `run`: the command. */
  readonly command?: string;
  /** Who reads the advice. */
  readonly audience?: Audience;
  /** What a person has granted to one re-run. */
  readonly grant?: RerunGrant;
  /** The command was approved for the network, in a row that asks for it. */
  readonly networkApproved?: boolean;
}

/** Everything that is known before the first command: the settings, the machine, the plan. */
export interface RunPlan {
  /** What this was planned from. */
  readonly planning: Planning;
  readonly host: Host;
  readonly config: ResolvedConfig;
  readonly settings: Settings;
  /** The network that the settings give; that of `settings` is "none" where it waits for an approval. */
  readonly configuredNetwork: Settings['network'];
  /** The settings' and those that ion stores itself. */
  readonly rules: readonly Rule[];
  /** Paths that rules deny, and that nothing keeps here but the look at the command's text. */
  readonly textOnlyPaths: readonly Sourced<string>[];
  readonly machine: Machine;
  readonly inputs: PlanInputs;
  readonly roots: readonly Root[];
  readonly protectedFiles: ProtectedFiles;
  readonly toolchains: ToolchainPlan;
  readonly environment: Environment;
  readonly namespaces: Namespaces;
  readonly supervisor: SupervisorRules | undefined;
  readonly backend: BackendName;
  readonly sandboxed: boolean;
  /** No file of the workspace, of temp folders and write roots executes. */
  readonly closesWorkspace: boolean;
  /** A folder of cgroup v2 in which runs get groups of their own, where limits ask for one and there is one. */
  readonly cgroup: string | undefined;
  /** Built at the first command, and used again while it holds for all of them. */
  ruleset: number | undefined;
  /** The session is for one command: none comes after it. */
  readonly single: boolean;
  /** Started, and without a command yet. */
  waiting: WaitingLauncher | undefined;
  readonly ending: Ending;
}

/** Read the config, look at the machine, plan. Throws an IonError when no command could run as it is asked for. */
export async function openPlan(caller: Host, flags: SessionFlags): Promise<RunPlan> {
  // A copy: each look into process.env is a call out of the engine.
  const host = {...caller, environment: {...caller.environment}};
  const {timing = noTiming} = host;
  const machine = await probeMachine(host.packageRoot);
  timing.mark('probe');
  // On a thread, while the config is read: it takes as long.
  machine.native?.addon.searchClosed(etcFolder, etcSecrets);
  const repositoryTop = findRepositoryTop(host.cwd);
  const resolved = await resolveConfig(configRequest(host, flags, repositoryTop));
  timing.mark('config');
  if (host.homeRefused !== undefined) sayHome(host);
  const given = withinBoundary(flags.grant ? granted(resolved.settings, flags.grant) : resolved.settings);
  const settings = waitsForApproval(given, machine, flags)
    ? {...given, network: {value: 'none', origin: {layer: 'default'}} as const}
    : given;
  const config = {...resolved, settings};
  return planRun({host, flags, config, machine, repositoryTop, configuredNetwork: given.network});
}

/** Only where something of ion's is passed over by it. */
function sayHome({environment, home, homeRefused, warn}: Host): void {
  const named = environment['HOME']!;
  if (!existsSync(`${named}/.ion`)) return;
  const used = home === undefined ? 'none' : quoted(home);
  warn?.(
    new IonError(`ignored: HOME=${quoted(named)} (${homeRefused}); the home folder for ~/.ion is ${used}`, {
      help: 'set HOME to a folder that no project and no run can write to',
    }),
  );
}

export interface Planning {
  readonly host: Host;
  readonly flags: SessionFlags;
  readonly config: ResolvedConfig;
  readonly machine: Machine;
  readonly repositoryTop: string | undefined;
  /** Where it is not that of the settings. */
  readonly configuredNetwork?: Settings['network'];
  /** Of a session for hooks: where the user keeps them. They are started with pipes: no launcher waits for one. */
  readonly hooksRoots?: readonly Root[];
}

/** Plan for settings that are resolved already. */
export async function planRun(planning: Planning): Promise<RunPlan> {
  const {host, flags, machine, repositoryTop} = planning;
  const {timing = noTiming} = host;
  const {home} = host;
  const settings = withinBoundary(planning.config.settings);
  const config = {...planning.config, settings};
  const stored = home === undefined ? [] : await storedRules(home, config.lock);
  const rules = stored.length > 0 ? [...settings.rules, ...stored] : settings.rules;
  const sandboxed = settings.sandbox.value !== false;
  const closesWorkspace = sandboxed && (flags.closesWorkspace === true || boundaryOf(settings) === 'read');
  if (!sandboxed) refuseOpenReading(settings);
  const inputs = gatherPlanInputs({
    ...host,
    home,
    repositoryTop,
    writeRoots: settings.writeRoots.map(({value}) => value),
    closedToOthers: (folder, apart) => machine.native?.addon.closedToOthers(folder, apart) ?? [],
  });
  const planned = sandboxed ? plannedRoots(settings, inputs, {machine, closesWorkspace}) : [];
  const toolchains =
    sandboxed && !needsNoToolchain(flags, settings)
      ? await toolchainPlan({host, config, inputs, planned, machine, create: flags.for !== 'preview'})
      : noToolchains;
  const roots = [...planned, ...wanted([...toolchains.roots, ...(planning.hooksRoots ?? [])], machine)];
  const {eventsFile} = flags;
  if (sandboxed && eventsFile !== undefined)
    refuseEventsFile(eventsFile, writeRoots(roots), machine.features);
  const protectedFiles = sandboxed
    ? planProtectedFiles(host, config, inputs, roots, eventsFile)
    : {existing: [], absent: [], holders: []};
  const denied = sandboxed
    ? planDenied({settings, machine, roots, rules: rulePaths(rules, settings.approval.value)})
    : nothingDenied;
  refuseOpen(denied.open);
  const environment = commandEnvironment(sandboxed ? withTemp(host, inputs) : host, settings, toolchains);
  const namespaces = sandboxed
    ? planNamespaces({
        settings,
        machine,
        roots,
        protected: protectedFiles,
        masked: denied.masked,
        environment: environment.variables,
      })
    : noNamespaces;
  const exec =
    sandboxed && machine.features.listener && deniesCommands(settings, rules)
      ? (await import('../sandbox/plan/exec-rules.ts')).planExecRules({
          settings,
          rules,
          searchPath: environment.variables['PATH'] ?? '',
          workspace: config.workspace,
          exist: (paths) => existing(machine, paths),
        })
      : undefined;
  const plan: RunPlan = {
    planning,
    host,
    config,
    settings,
    configuredNetwork: planning.configuredNetwork ?? settings.network,
    rules,
    textOnlyPaths: denied.openRules,
    machine,
    inputs,
    roots,
    protectedFiles,
    toolchains,
    environment,
    namespaces,
    supervisor: planSupervisor({
      settings,
      machine,
      roots,
      protected: protectedFiles,
      gitFolders: inputs.gitFolders,
      denied: denied.watched,
      exec,
      tellExecs: flags.tellExecs ?? false,
      explain: flags.explain ?? false,
    }),
    backend: backendName(machine, sandboxed),
    sandboxed,
    closesWorkspace,
    cgroup: await cgroupFor(settings, machine),
    ruleset: undefined,
    single: flags.for === 'run',
    // The last that can fail: nobody has to end it but close().
    ending: openEnding(),
    waiting: flags.for === 'run' || flags.for === 'serve' ? prepareLauncher(machine, namespaces) : undefined,
  };
  timing.mark('plan');
  return plan;
}

/** The approval setting by which the network of this run waits for an answer; undefined where it does not wait. */
export function networkAsksOf({settings, configuredNetwork}: RunPlan): Settings['approval'] | undefined {
  return settings.network === configuredNetwork ? undefined : settings.approval;
}

/** Where nothing keeps a command from the network it is asked for before it runs (policy/action-classes.ts). */
function waitsForApproval(
  {approval, network, sandbox}: Settings,
  machine: Machine,
  flags: SessionFlags,
): boolean {
  if (flags.networkApproved || flags.grant?.network || sandbox.value === false || network.value === 'none')
    return false;
  return asksForNetwork(approval.value) && confines(machine).network;
}

/** What the kernel of this machine keeps of a command's own doing. */
export function confines({features}: Machine): {readonly writes: boolean; readonly network: boolean} {
  const enforced = enforcedBy(features);
  const isEnforced = (id: ProtectionId): boolean =>
    enforced.some((one) => one.id === id && one.level === 'enforced');
  return {writes: isEnforced('writes'), network: isEnforced('network')};
}

async function cgroupFor({limits}: Settings, machine: Machine): Promise<string | undefined> {
  if (!machine.native || !(limits.memoryBytes || limits.processes || limits.cpuSeconds)) return undefined;
  const {findCgroup} = await import('../sandbox/linux/cgroup.ts');
  return findCgroup(limits);
}

/** A TMPDIR that is not granted is not passed on either: what uses it would only be refused. */
function withTemp(host: Host, {temp, tempRefused}: PlanInputs): Host {
  if (!tempRefused) return host;
  const {named, why} = tempRefused;
  host.warn?.(
    new IonError(`ignored: TMPDIR=${quoted(named)} is not a temp folder (${why}); ${quoted(temp)} is used`, {
      help: `sandbox.write_roots = [${tomlString(named)}] in ~/.ion/config.toml makes it writable`,
    }),
  );
  return {...host, environment: {...host.environment, TMPDIR: temp}};
}

function granted(settings: Settings, {readRoots, writeRoots, unixSockets, network}: RerunGrant): Settings {
  const origin = {layer: 'flag'} as const;
  const sourced = (values: readonly string[]): Sourced<string>[] => values.map((value) => ({value, origin}));
  return {
    ...settings,
    readRoots: [...settings.readRoots, ...sourced(readRoots)],
    writeRoots: [...settings.writeRoots, ...sourced(writeRoots)],
    unixSockets: [...settings.unixSockets, ...sourced(unixSockets)],
    ...(network ? {network: {value: 'full', origin}} : {}),
  };
}

export function configRequest(
  host: Host,
  flags: SessionFlags,
  repositoryTop: string | undefined,
): Parameters<typeof resolveConfig>[0] {
  return {
    cwd: host.cwd,
    home: host.home,
    otherHomes: host.otherHomes,
    machineConfig: host.machineConfig,
    env: host.environment,
    uid: host.uid,
    flags: {
      ...(flags.read ? {read: true} : {}),
      ...(flags.noSandbox ? {noSandbox: true} : {}),
      ...(flags.timeoutMs === undefined ? {} : {timeoutMs: flags.timeoutMs}),
    },
    ...(flags.configFile === undefined ? {} : {configFile: flags.configFile}),
    ...(flags.sets === undefined ? {} : {sets: flags.sets}),
    ...(flags.showsTrust ? {showsTrust: true} : {}),
    ...(flags.for === 'run' ? {runs: runsWhere(host)} : {}),
    repositoryTop,
  };
}

/** Looked at only where something depends on it. */
function runsWhere({environment}: Host): 'headless' | 'at a terminal' {
  return environment['ION_TRUST_PROJECT'] && hasControllingTerminal() ? 'at a terminal' : 'headless';
}

function plannedRoots(
  settings: Settings,
  inputs: PlanInputs,
  {machine, closesWorkspace}: Pick<RunPlan, 'machine' | 'closesWorkspace'>,
): Root[] {
  const problem = checkWorkspace(settings, inputs);
  if (problem) throw new IonError(problem.what, problem);
  refuseUnenforceable(settings, machine.features);
  const roots = wanted(planRoots(settings, inputs), machine);
  if (!closesWorkspace) return roots;
  const closed = closedToExecution(
    inputs,
    settings.writeRoots.map(({value}) => value),
  );
  return withoutExecution(roots, closed, systemProgramRoots());
}

/** Without the optional ones that are not there. */
function wanted(roots: readonly Root[], machine: Machine): Root[] {
  const there = existing(
    machine,
    roots.map(({path}) => path),
  );
  return roots.filter(({optional}, index) => !optional || there[index]);
}

/** Auto-run files, and the config files that were allowed to loosen something: who changes one changes the next run. */
function planProtectedFiles(
  host: Host,
  {settings, trustedFiles, workspace}: ResolvedConfig,
  inputs: PlanInputs,
  roots: readonly Root[],
  eventsFile: string | undefined,
): ProtectedFiles {
  return findProtected({
    cwd: inputs.cwd,
    repositoryTop: inputs.repositoryTop,
    gitFolders: inputs.gitFolders,
    packageRoot: host.packageRoot,
    home: inputs.home,
    otherHomes: inputs.otherHomes,
    searchPath: host.environment['PATH'] ?? '',
    protect: [
      ...settings.protect.map(({value}) => value),
      ...trustedFiles,
      ...(eventsFile === undefined ? [] : [eventsFile]),
      ...otherFrames(settings, workspace, inputs),
    ],
    unprotect: settings.unprotect.map(({value}) => value),
    writeRoots: writeRoots(roots),
  });
}

/** Frames that are not the active one are read-only: a write that lands there needs a decision of its own. */
function otherFrames(settings: Settings, workspace: string, {cwd, home}: PlanInputs): string[] {
  if (Object.keys(settings.frames).length === 0) return [];
  const place = {settings, cwd, home: home ?? '/nonexistent', workspace};
  const active = activeFrame(place)?.name;
  return Object.keys(settings.frames)
    .filter((name) => name !== active)
    .map((name) => framePath(name, place));
}

/** A chunk of its own: the presets are a tenth of what a start would have to load. */
async function toolchainPlan({
  host,
  config,
  inputs,
  planned,
  machine,
  create,
}: {
  readonly host: Host;
  readonly config: ResolvedConfig;
  readonly inputs: PlanInputs;
  readonly planned: readonly Root[];
  readonly machine: Machine;
  readonly create: boolean;
}): Promise<ToolchainPlan> {
  const {toolchainsHere} = await import('../sandbox/toolchains/toolchains-here.ts');
  return toolchainsHere({
    ...host,
    config,
    inputs,
    writeRoots: writeRoots(planned),
    exist: (paths) => existing(machine, paths),
    create,
  });
}

/** Looking for toolchains costs a start about as much as all else that is looked at. */
function needsNoToolchain({command}: SessionFlags, {hooks, toolchains}: Settings): boolean {
  return toolchains.value === 'auto' && hooks.length === 0 && command !== undefined && isInert(command);
}
