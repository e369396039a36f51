import {existsSync} from 'node:fs';
import {wideEntries} from '../config/network/wide-pattern.ts';
import {locationOf} from '../config/read/origin.ts';
import {resolveConfig} from '../config/read/resolve.ts';
import {settingForms} from '../config/set-option.ts';
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
import {writeRoots, type Root, type PlanInputs} from '../sandbox/plan/roots.ts';
import type {ProtectedFiles} from '../sandbox/plan/protected.ts';
import {refuseEventsFile, refuseOpen, refuseOpenReading} from '../sandbox/require.ts';
import {gatherPlanInputs} from '../sandbox/plan/plan-inputs.ts';
import {noToolchains, type ToolchainPlan} from '../sandbox/toolchains/plan-toolchains.ts';
import {deniesCommands} from '../policy/rules/compare-rules.ts';
import {nothingDenied, planDenied} from '../sandbox/plan/denied.ts';
import {openEnding, type Ending} from './ending.ts';
import {commandEnvironment} from './command-environment.ts';
import type {Host} from './host.ts';
import {waitsForApproval} from './network-wait.ts';
import {needsNoToolchain, plannedRoots, planProtectedFiles, toolchainPlan, wanted} from './planned-roots.ts';
import type {RerunGrant} from './ask/rerun.ts';
import {configRequest, type SessionFlags} from './session-flags.ts';
import {noTiming} from './timing.ts';
import {scriptRoot} from './script-root.ts';
import {stepFiles, stepRoots} from './step-files.ts';
import {storedRules} from './ask/stored-rules.ts';
import {etcFolder, etcSecrets} from '../sandbox/plan/system-roots.ts';
import {planSupervisor} from '../sandbox/plan/supervisor.ts';
import {canLookAt} from '../sandbox/linux/probe-path.ts';
import {silentPaths, type IsSilent} from '../system/silent-paths.ts';
import {rulePaths} from '../sandbox/plan/rule-paths.ts';
import {planNamespaces} from '../sandbox/plan/namespaces.ts';

/** Everything that is known before the first command: the settings, the machine, the plan. */
export interface RunPlan {
  /** The inputs that this was planned from. */
  readonly planning: Planning;
  readonly host: Host;
  readonly config: ResolvedConfig;
  readonly settings: Settings;
  /** The network as configured. In `settings` it is "none" while the network waits for approval. */
  readonly configuredNetwork: Settings['network'];
  /** The rules of the settings, and the rules that ion stores. */
  readonly rules: readonly Rule[];
  /** Paths that rules deny. On this machine only the check of the command's text enforces them. */
  readonly textOnlyPaths: readonly Sourced<string>[];
  readonly machine: Machine;
  /** For the paths that a command names: ion itself must not wait for a file system that does not answer. */
  readonly isSilent: IsSilent;
  readonly inputs: PlanInputs;
  readonly roots: readonly Root[];
  readonly protectedFiles: ProtectedFiles;
  readonly toolchains: ToolchainPlan;
  readonly environment: Environment;
  readonly namespaces: Namespaces;
  readonly supervisor: SupervisorRules | undefined;
  readonly backend: BackendName;
  readonly sandboxed: boolean;
  /** No file of the workspace, of temp folders and write roots can execute. */
  readonly closesWorkspace: boolean;
  /** A cgroup v2 folder in which runs get groups of their own, if a limit needs one and one is available. */
  readonly cgroup: string | undefined;
  /** Built at the first command. Later commands reuse it as long as it is valid for them. */
  ruleset: number | undefined;
  /** The session is for one command only. */
  readonly single: boolean;
  /** The config for ion inside, made at the first command. */
  outerConfig?: string;
  /** A launcher that was started ahead, without a command yet. */
  waiting: WaitingLauncher | undefined;
  readonly ending: Ending;
}

/** Reads the config, looks at the machine, plans. Throws an IonError when no command could run as requested. */
export async function openPlan(caller: Host, flags: SessionFlags): Promise<RunPlan> {
  // A copy, because each access to process.env is a call out of the engine.
  const host = {...caller, environment: {...caller.environment}};
  const {timing = noTiming} = host;
  const machine = await probeMachine(host.packageRoot);
  timing.mark('probe');
  // Runs on a thread while the config is read, which takes as long.
  machine.native?.addon.searchClosed(etcFolder, etcSecrets);
  const repositoryTop = findRepositoryTop(host.cwd);
  const resolved = await resolveConfig(configRequest(host, flags, repositoryTop));
  timing.mark('config');
  if (host.homeRefused !== undefined) sayHome(host);
  warnOfWideEntries(resolved.settings.network.value, host);
  const given = withinBoundary(flags.grant ? granted(resolved.settings, flags.grant) : resolved.settings);
  const settings = waitsForApproval(given, machine, flags)
    ? {...given, network: {value: 'none', origin: {layer: 'default'}} as const}
    : given;
  const config = {...resolved, settings};
  return planRun({host, flags, config, machine, repositoryTop, configuredNetwork: given.network});
}

/** Only reported if files of ion are ignored because of it. */
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

/** Usually a mistake: it was meant for one domain. */
function warnOfWideEntries(network: Settings['network']['value'], {warn}: Host): void {
  for (const {pattern, value, origin} of wideEntries(network)) {
    const suffix = pattern.slice('*.'.length);
    warn?.(
      new IonError(
        `warning: ${quoted(value)} allows the names of everybody who registers one below ${suffix}`,
        {
          at: locationOf(origin),
          help: `name the domain: ${quoted(`*.example.${suffix}`)}`,
        },
      ),
    );
  }
}

export interface Planning {
  readonly host: Host;
  readonly flags: SessionFlags;
  readonly config: ResolvedConfig;
  readonly machine: Machine;
  readonly repositoryTop: string | undefined;
  /** Set if it differs from the network of the settings. */
  readonly configuredNetwork?: Settings['network'];
  /**
   * For a session for hooks: the folder in which the user keeps them. Hooks are started with pipes, so no launcher is
   * started ahead.
   */
  readonly hooksRoots?: readonly Root[];
  /** Variables that commands get besides those of the host. The boundary does not depend on them: a project may have chosen them. */
  readonly added?: Readonly<Record<string, string>>;
}

/** Plans for settings that are already resolved. */
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
  const planned = sandboxed
    ? plannedRoots(settings, inputs, {machine, closesWorkspace, makes: flags.for !== 'preview'})
    : [];
  const toolchains =
    sandboxed && !needsNoToolchain(flags, settings)
      ? await toolchainPlan({host, config, inputs, planned, machine, create: flags.for !== 'preview'})
      : noToolchains;
  const script = await scriptRoot(flags.script, {settings, roots: planned, uid: host.uid});
  const ofStep = sandboxed ? stepFiles(host.environment) : [];
  const opened =
    flags.for === 'run' && boundaryOf(settings) === 'write' ? ofStep.filter(({opens}) => opens) : [];
  const extra = [...toolchains.roots, ...(planning.hooksRoots ?? []), ...script, ...stepRoots(opened)];
  const roots = [...planned, ...wanted(extra, machine)];
  const {eventsFile} = flags;
  if (sandboxed && eventsFile !== undefined)
    refuseEventsFile(eventsFile, writeRoots(roots), machine.features);
  const protectedFiles = sandboxed
    ? planProtectedFiles(host, config, inputs, roots, [
        ...(eventsFile === undefined ? [] : [eventsFile]),
        ...ofStep.filter((file) => !opened.includes(file)).map((file) => file.path),
      ])
    : {existing: [], absent: [], holders: []};
  const denied = sandboxed
    ? planDenied({settings, machine, roots, rules: rulePaths(rules, settings.approval.value)})
    : nothingDenied;
  refuseOpen(denied.open);
  const caller = sandboxed ? withTemp(host, inputs) : host;
  const variables = {...caller.environment, ...planning.added};
  const environment = commandEnvironment({environment: variables}, settings, toolchains);
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
    sandboxed && machine.features.listener && !flags.ownProgram && deniesCommands(settings, rules)
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
    isSilent: silentPaths(host.cwd, (path) => !machine.native || canLookAt(machine.native, path)),
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
      reportsExecs: flags.reportsExecs ?? false,
      explain: flags.explain ?? false,
    }),
    backend: backendName(machine, sandboxed),
    sandboxed,
    closesWorkspace,
    cgroup: await cgroupFor(settings, machine),
    ruleset: undefined,
    single: flags.for === 'run',
    // The last step that can fail: from here on only close() must end it.
    ending: openEnding(),
    waiting: ['run', 'serve', 'library'].includes(flags.for)
      ? prepareLauncher(machine, namespaces)
      : undefined,
  };
  timing.mark('plan');
  return plan;
}

async function cgroupFor({limits}: Settings, machine: Machine): Promise<string | undefined> {
  if (!machine.native || !(limits.memoryBytes || limits.processes || limits.cpuSeconds)) return undefined;
  const {findCgroup} = await import('../sandbox/linux/cgroup.ts');
  return findCgroup(limits);
}

/** A TMPDIR that is not granted is not passed on: programs that use it would only be refused. */
function withTemp(host: Host, {temp, tempRefused}: PlanInputs): Host {
  if (!tempRefused) return host;
  const {named, why} = tempRefused;
  host.warn?.(
    new IonError(`ignored: TMPDIR=${quoted(named)} is not a temp folder (${why}); ${quoted(temp)} is used`, {
      help: settingForms('sandbox.write_roots', [named]),
    }),
  );
  return {...host, environment: {...host.environment, TMPDIR: temp}};
}

function granted(
  settings: Settings,
  {readRoots, writeRoots, unixSockets, network, repository}: RerunGrant,
): Settings {
  const origin = {layer: 'flag'} as const;
  const sourced = (values: readonly string[]): Sourced<string>[] => values.map((value) => ({value, origin}));
  return {
    ...settings,
    readRoots: [...settings.readRoots, ...sourced(readRoots)],
    writeRoots: [...settings.writeRoots, ...sourced(writeRoots)],
    unixSockets: [...settings.unixSockets, ...sourced(unixSockets)],
    ...(network ? {network: {value: 'full', origin}} : {}),
    ...(repository === undefined ? {} : {workspace: {value: 'repository', origin}}),
  };
}
