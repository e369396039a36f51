import {closeSync} from 'node:fs';
import path from 'node:path';
import {eachLimit} from '../config/limits.ts';
import {outerConfig} from '../config/outer-config.ts';
import {wordOf} from '../config/network/network-table.ts';
import type {Settings} from '../config/settings.ts';
import {prepareAutorun, removeShadows, withShadows, type Snapshot} from '../sandbox/autorun/snapshot.ts';
import {collectTouched} from '../sandbox/autorun/touched.ts';
import {verifyAutorun} from '../sandbox/autorun/verify-autorun.ts';
import type {
  Launch,
  LaunchLimits,
  NamedPrograms,
  Outcome,
  Running,
  Stdio,
  Namespaces,
} from '../sandbox/launch.ts';
import type {RunEvent} from '../sandbox/run-event.ts';
import {boundaryOf, type Boundary} from '../sandbox/boundary.ts';
import {withGivenFiles} from '../sandbox/linux/view.ts';
import {withMountsBelow} from '../sandbox/plan/disk-roots.ts';
import {prepareLauncher, prepareRuleset, startCommand, type WaitingLauncher} from '../sandbox/machine.ts';
import {withQuestions} from '../sandbox/plan/relay-plan.ts';
import {privateTemp, writeRoots} from '../sandbox/plan/roots.ts';
import type {Action} from '../policy/decision.ts';
import type {Emit} from './emit.ts';
import {findBash} from './find-bash.ts';
import type {RunPlan} from './run-plan.ts';
import {makeScratch, needsPrivateTemp, removeScratch} from './scratch-folder.ts';
import {plainForm, shellWords, type ShellForm} from '../shell/shell-arguments.ts';
import {randomRunId} from '../system/run-id.ts';

/** How bash gets the command. */
export interface ShellStart {
  readonly form: ShellForm;
  /** The descriptors of make's jobserver. The command gets them under the same numbers. */
  readonly jobserver?: readonly [reads: number, writes: number];
}

export interface RunOptions extends Partial<ShellStart> {
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  readonly onEvent?: (event: RunEvent) => void;
  /** The folder where the command starts. Absent: where the session was opened. */
  readonly cwd?: string;
  /** In addition to the session's own. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly timeoutSignal?: NodeJS.Signals;
  /** A command of the prompt. */
  readonly shell?: ShellState;
  /** Names the quarantine folder of the run. */
  readonly runId?: string;
  /** The command that was decided, and its records: names that it looks up may be asked about. Absent: they are refused. */
  readonly decided?: {readonly action: Action; readonly emit: Emit};
}

/** The state that bash has from the commands before it, and reports for those after it. Only the launcher hands it over. */
export interface ShellState {
  /** The script that restores the state, for a bash that starts with this environment and boundary. */
  readonly script: (environment: Readonly<Record<string, string>>, boundary: Boundary) => Uint8Array;
  readonly report: number;
}

/**
 * Starts a command in the sandbox of the session. Throws an IonError if that cannot be set up: then nothing ran.
 * `askedNames`: names that it looks up are asked about, but for these, which are allowed already (live-questions.ts).
 */
export async function start(
  plan: RunPlan,
  command: string,
  options: RunOptions & {readonly askedNames?: readonly string[]},
): Promise<Running> {
  const {host, settings, machine, namespaces, sandboxed} = plan;
  const boundary = boundaryOf(settings);
  const asking = options.askedNames ? withQuestions(namespaces, options.askedNames) : namespaces;
  const bash = findBash(plan.environment.variables['PATH'] ?? '', plan.config.workspace);
  const named =
    boundary === 'read' && plan.supervisor ? await programsOf(plan, command, bash, options.cwd) : undefined;
  const autorun = sandboxed ? lookAtAutorun(plan, options.runId ?? randomRunId()) : undefined;
  const scratch = autorun?.temp;
  const touched = collectTouched();
  const remove = (): void => {
    // The record of the temp folder is in the other one.
    if (scratch) removeScratch(scratch, machine, (text) => host.warn?.(text));
    if (autorun) removeShadows(autorun);
  };
  let ruleset = -1;
  try {
    ruleset = sandboxed ? rulesetFor(plan, scratch) : -1;
    const seatbelt =
      sandboxed && machine.seatbelt
        ? (await import('../sandbox/macos/plan-run.ts')).planSeatbelt(plan, scratch)
        : undefined;
    host.timing?.mark('ruleset');
    const environment = {
      // git's own template without the sample hooks: a hooks folder in it could not be created in an existing
      // repository.
      ...(sandboxed ? {GIT_TEMPLATE_DIR: path.join(host.packageRoot, 'profiles/git-template')} : {}),
      ...(await variablesFor(plan, command, options)),
      ...bashFile(plan, boundary, options.shell),
      ...options.environment,
      ...(scratch ? {TMPDIR: scratch} : {}),
    };
    const running = await startCommand(
      machine,
      {
        argv: shellWords(bash, command, options.form ?? plainForm),
        jobserver: options.jobserver,
        script: scriptOf(options.form),
        cwd: options.cwd ?? host.cwd,
        ...insideFiles(plan),
        environment,
        network: sandboxed && !namespaces.networkNamespace ? wordOf(settings.network.value) : 'full',
        namespaces: withStreams(
          withAutorun(scratch ? withWritable(asking, scratch) : asking, autorun),
          options.stdio,
        ),
        supervisor:
          sandboxed && plan.supervisor
            ? {...plan.supervisor, watched: autorun?.watched ?? [], named}
            : undefined,
        seccomp: machine.features.seccomp,
        landlock: sandboxed ? machine.features.landlock : 0,
        listedDevices: plan.roots.some(({grant, origin}) => grant === 'device' && origin !== undefined),
        shmWritable: boundary === 'write',
        limits: launchLimits(settings, options.timeoutMs),
        timeoutSignal: options.timeoutSignal,
        diskRoots: diskRoots(plan, scratch),
        cgroup: plan.cgroup,
        leftovers: [scratch, autorun?.folder?.path].filter((folder) => folder !== undefined),
        stdio: options.stdio,
        job: options.shell && {
          script: options.shell.script(environment, boundary),
          report: options.shell.report,
        },
        adoptsOrphans: plan.planning.flags.for !== 'library',
        confined: sandboxed,
        seatbelt,
        // Not earlier: on two processors it would slow down the command's own start.
        onStarted: plan.single
          ? undefined
          : () => void (plan.waiting ??= prepareLauncher(machine, namespaces)),
        onEvent: (event) => {
          if (event.kind === 'touched' || event.kind === 'more-touched') touched.add(event);
          else options.onEvent?.(event);
        },
      },
      ruleset,
      options.stdio.includes('pipe') ? undefined : takeWaiting(plan),
    );
    const verified = async (outcome: Outcome): Promise<Outcome> => {
      for (const event of autorun ? await verifyAutorun(autorun, touched) : []) options.onEvent?.(event);
      return outcome;
    };
    return {...running, outcome: running.outcome.then(verified).finally(remove)};
  } catch (error) {
    remove();
    throw error;
  } finally {
    if (scratch && ruleset !== -1) closeSync(ruleset);
  }
}

/** Where the run has mounts and a supervisor: ion-sh inside needs both to be sure (native/launcher/base/inside_call.h). */
function insideFiles(plan: RunPlan): Pick<Launch, 'inside' | 'outerConfig'> {
  const {sandboxed, supervisor, namespaces, inputs, machine, settings, rules, config} = plan;
  if (!sandboxed || !supervisor || !machine.features.seccomp || namespaces.kind === 'none') return {};
  return {
    inside: path.join(inputs.packageRoot, 'profiles/inside'),
    outerConfig: (plan.outerConfig ??= outerConfig({...settings, rules}, config.lock)),
  };
}

function scriptOf({source}: ShellForm = plainForm): Launch['script'] {
  if (source === undefined || source === 'stdin' || source.text === undefined) return undefined;
  return {name: source.file, text: source.text};
}

/** The file that bash reads first. */
function bashFile(
  {host}: RunPlan,
  boundary: Boundary,
  shell: ShellState | undefined,
): Readonly<Record<string, string>> {
  const read = boundary === 'read';
  const name = shell ? (read ? 'read-prompt' : 'prompt') : read ? 'read-mode' : undefined;
  return name === undefined ? {} : {BASH_ENV: path.join(host.packageRoot, `profiles/${name}.bash`)};
}

function takeWaiting(plan: RunPlan): WaitingLauncher | undefined {
  const {waiting} = plan;
  plan.waiting = undefined;
  return waiting;
}

/** In read mode, a program that only a repository's config names does not run. */
async function variablesFor(
  {settings, host, environment: {variables}}: RunPlan,
  command: string,
  {cwd = host.cwd, environment: more}: Pick<RunOptions, 'cwd' | 'environment'>,
): Promise<Readonly<Record<string, string>>> {
  if (boundaryOf(settings) !== 'read' || !command.includes('git')) return variables;
  const [{analyze}, {gitDriverVariables}] = await Promise.all([
    import('../shell/parse/analyze.ts'),
    import('./git/driver-variables.ts'),
  ]);
  const environment = {...variables, ...more};
  return {...variables, ...gitDriverVariables(analyze(command), {cwd, environment})};
}

/** Judged by the text alone. A program that the text hides from the analysis cannot execute. */
async function programsOf(
  {host, environment: {variables}, namespaces: {mounts}, isSilent}: RunPlan,
  command: string,
  bash: string,
  cwd = host.cwd,
): Promise<NamedPrograms> {
  const [{analyzeCommand}, {namedPrograms}] = await Promise.all([
    import('./analyze-command.ts'),
    import('./named-programs.ts'),
  ]);
  const analysed = await analyzeCommand(command, {cwd, environment: variables, isSilent});
  return namedPrograms(analysed, {searchPath: variables['PATH'] ?? '', bash, ...mounts});
}

function lookAtAutorun(plan: RunPlan, runId: string): Snapshot {
  const {inputs, roots, protectedFiles, settings, namespaces, supervisor, machine} = plan;
  return prepareAutorun({
    gitFolders: inputs.gitFolders,
    writeRoots: writeRoots(roots),
    protectedFiles,
    unprotect: settings.unprotect.map(({value}) => value),
    mounted: namespaces.kind !== 'none',
    watched: supervisor !== undefined && supervisor.report !== 'minimal',
    home: inputs.home,
    runId,
    makeTemp: needsPrivateTemp(plan) ? () => makeScratch(plan, runId) : undefined,
    folderCalls: machine.native?.addon,
  });
}

/** A view contains only files that the plan knew: ion's own streams, not those of a caller of the library. */
function withStreams(namespaces: Namespaces, stdio: readonly Stdio[]): Namespaces {
  const {view, mounts} = namespaces;
  return view ? {...namespaces, view: withGivenFiles(view, mounts.writable, stdio)} : namespaces;
}

function withAutorun(namespaces: Namespaces, autorun: Snapshot | undefined): Namespaces {
  return autorun ? withShadows(namespaces, autorun) : namespaces;
}

/** Adds the folder to the list. Without mounts the supervisor uses the list too. */
function withWritable(namespaces: Namespaces, folder: string): Namespaces {
  return {
    ...namespaces,
    mounts: {...namespaces.mounts, writable: [...namespaces.mounts.writable, folder].sort()},
  };
}

function rulesetFor(plan: RunPlan, scratch: string | undefined): number {
  const {settings, namespaces} = plan;
  // Without port rules, handling TCP denies all of it. That is right for "none", and where the supervisor makes the
  // calls.
  const isOpen = settings.network.value === 'full' || namespaces.loopback;
  const network = isOpen ? 'full' : 'none';
  if (scratch) {
    return prepareRuleset(
      plan.machine,
      [...plan.roots, privateTemp(scratch, {executes: !plan.closesWorkspace})],
      network,
    );
  }
  plan.ruleset ??= prepareRuleset(plan.machine, plan.roots, network);
  return plan.ruleset;
}

/** The folders in which the command writes. The run's own /dev/shm is not in this list: the launcher watches it. */
function diskRoots(plan: RunPlan, scratch: string | undefined): readonly string[] | undefined {
  const {settings, sandboxed, inputs, roots, namespaces} = plan;
  if (!settings.limits.diskBytes) return undefined;
  if (!sandboxed) return withMountsBelow([inputs.cwd, inputs.temp]);
  const folders = [...writeRoots(roots), ...(scratch ? [scratch] : [])];
  return withMountsBelow(folders).filter((file) => !(namespaces.ownShm && file === '/dev/shm'));
}

function launchLimits({limits}: Settings, timeoutMs: number | undefined): LaunchLimits {
  const set = eachLimit((limit) => limits[limit]?.value);
  return timeoutMs === undefined ? set : {...set, timeoutMs};
}
