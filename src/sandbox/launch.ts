import type {Limit} from '../config/limits.ts';
import type {Features} from './matrix/features.ts';
import type {Enforced} from './matrix/matrix.ts';
import type {SeatbeltPlan} from './macos/seatbelt-plan.ts';
import type {MountPlan} from './plan/mounts.ts';
import type {RelayPlan} from './plan/relay-plan.ts';
import type {RunEvent} from './run-event.ts';

/** One way to confine a process: probe once, then start launches. A new backend is one folder that exports these. */
export interface Backend {
  readonly name: 'landlock' | 'mounts' | 'seccomp-only' | 'seatbelt' | 'app-level' | 'none';
  readonly features: Features;
  readonly enforced: readonly Enforced[];
  start(launch: Launch): Running;
}

/** In the unit of its row; absent = none. */
export type LaunchLimits = {readonly [limit in Limit]?: number | undefined};

export type Stdio = number | 'inherit' | 'pipe' | 'ignore';

/** A root file system that contains only these, read-only, and the write roots. Canonical. */
export interface View {
  readonly roots: readonly string[];
  readonly links: readonly {readonly path: string; readonly target: string}[];
}

/** The run's own namespaces. */
export interface Namespaces {
  readonly kind: Features['namespaces'];
  readonly networkNamespace: boolean;
  /** True if the loopback interface of the network namespace is up. */
  readonly loopback: boolean;
  /** Reaches what a network table allows; absent: nothing outside is reached from the namespace. */
  readonly relay?: RelayPlan | undefined;
  readonly mounts: MountPlan;
  /** A PID namespace, and a /proc that shows only its processes. */
  readonly ownProcesses: boolean;
  /** The content of the run's own root file system where there is no Landlock; undefined: the machine's root. */
  readonly view?: View | undefined;
  /** The run's own terminals, and its own /dev/shm unless a write root is in the machine's. */
  readonly ownDevices: boolean;
  readonly ownShm: boolean;
  /** Files that the command sees as a private copy. */
  readonly shadows: readonly {readonly config: string; readonly copy: string}[];
}

export const noNamespaces: Namespaces = {
  ownDevices: false,
  ownShm: false,
  kind: 'none',
  ownProcesses: false,
  networkNamespace: false,
  loopback: false,
  mounts: {
    writable: [],
    pinned: [],
    readonly: [],
    masked: [],
    ownerless: [],
    owned: [],
    executable: [],
    noexec: [],
  },
  shadows: [],
};

/** One entry of denied_paths, in the form of native/launcher/base/path_pattern.h and in the form of the config. */
export interface DeniedPattern {
  readonly pattern: string;
  readonly entry: string;
  /** Patterns of paths below it that are not denied. */
  readonly except?: readonly string[];
}

/** The lists that executions are compared with, each in the form of native/launcher/options/options.h. */
export interface ExecRules {
  /** deny_commands. */
  readonly deny: readonly string[];
  /** Rules of scope command_prefix, strongest first: `0d git push` (native/launcher/answer/exec/prefix_rules.h). */
  readonly rules: readonly string[];
  /** Files that are known by a name, whatever name they are executed under. */
  readonly known: readonly {readonly name: string; readonly path: string}[];
  readonly globalFlags: readonly string[];
  readonly globalValues: readonly string[];
  readonly globalEnds: readonly string[];
  readonly interpreters: readonly string[];
  readonly modules: readonly string[];
  readonly multiCalls: readonly string[];
}

/** Read mode's programs: only these files, and files below these folders, may be executed. Canonical. */
export interface NamedPrograms {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Globs of variables that every execution must leave as ion set them. */
  readonly held: readonly string[];
}

/** The rules of the supervisor. Paths are canonical. */
export interface SupervisorRules {
  readonly report: 'minimal' | 'denials' | 'all';
  readonly reportsExecs: boolean;
  /** Absent: nothing is denied at exec. */
  readonly exec: ExecRules | undefined;
  readonly unixSockets: readonly string[];
  /** Set only when refused reads are reported. */
  readonly readable: readonly string[];
  /** Protected paths that do not exist. */
  readonly absent: readonly string[];
  /** If there are any, the supervisor checks each open for reading. */
  readonly denied: readonly DeniedPattern[];
  /** The supervisor reports when a call that may change one of these was let through. */
  readonly watched: readonly string[];
  /** True if the supervisor also guards the hooks of nested repositories. `nestedConfig`: also their configs. */
  readonly nestedHooks: boolean;
  readonly nestedConfig: boolean;
  /** The git folders of the workspace's own repository. The lists above protect them. */
  readonly gitFolders: readonly string[];
  readonly devices: readonly string[];
  /** Absent: any program is executed. */
  readonly named?: NamedPrograms | undefined;
}

/** A command of the prompt also gets a process group in the foreground, and two descriptors (native/launcher/confine/job.h). */
export interface Job {
  /** bash runs it before the command. */
  readonly script: Uint8Array;
  /** A socket of the caller's, on which bash reports its state. */
  readonly report: number;
}

/** One command, ready to start. */
export interface Launch {
  /** An absolute program and its arguments. */
  readonly argv: readonly string[];
  /** Descriptors of this process that the command gets under the same numbers: the pipe of make's jobserver. */
  readonly jobserver?: readonly [reads: number, writes: number] | undefined;
  /** The command's first open of `name` gives it this text. Only with a supervisor. */
  readonly script?: {readonly name: string; readonly text: string} | undefined;
  readonly cwd: string;
  /** The folder over which the launcher mounts the file by which ion knows that it is inside this run. Canonical. */
  readonly inside?: string | undefined;
  /** The text of the config file beside it. Only with `inside`. */
  readonly outerConfig?: string | undefined;
  readonly environment: Record<string, string>;
  /**
   * none: the filter refuses internet sockets. loopback: the supervisor makes their calls. full: they are allowed, or a
   * network namespace confines them.
   */
  readonly network: 'none' | 'loopback' | 'full';
  readonly namespaces: Namespaces;
  /** Absent: no supervisor. */
  readonly supervisor: SupervisorRules | undefined;
  readonly seccomp: boolean;
  /** The running kernel's Landlock ABI; 0 = none. */
  readonly landlock: number;
  /** True if the command may write to /dev/shm. */
  readonly shmWritable: boolean;
  /** True if the user granted devices. Only their drivers know their ioctl requests. */
  readonly listedDevices: boolean;
  readonly limits: LaunchLimits;
  /** The signal that the command gets at its time limit; absent: SIGTERM. It is killed soon after. */
  readonly timeoutSignal?: NodeJS.Signals | undefined;
  /** A limit of the disk counts space lost on the file systems of these; absent without a limit. */
  readonly diskRoots?: readonly string[] | undefined;
  /** The folder for the run's own cgroup; absent: none. */
  readonly cgroup?: string | undefined;
  /** Folders that are removed after the run, even if this process is killed. */
  readonly leftovers?: readonly string[] | undefined;
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  /** Absent: the command is in ion's own process group. */
  readonly job?: Job | undefined;
  /** This process is ion's own: children that it does not know are orphans of a launcher. */
  readonly adoptsOrphans: boolean;
  /** False with --no-sandbox: still supervised, so that no process outlives the run. */
  readonly confined: boolean;
  /** Absent: not confined by seatbelt. */
  readonly seatbelt?: SeatbeltPlan | undefined;
  /** The command executes. */
  readonly onStarted?: (() => void) | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface Running {
  /** The streams that were requested as pipes. */
  readonly stdio: readonly [
    import('node:stream').Writable | null,
    import('node:stream').Readable | null,
    import('node:stream').Readable | null,
  ];
  /** The pid of the process that supervises the command. */
  readonly pid: number | undefined;
  /** Passes a signal to the command; SIGKILL ends its whole tree, and the outcome is `ion-gone`. SIGCONT continues a stopped job in the foreground. */
  signal(name: NodeJS.Signals): void;
  /** Answers a question of the run (run-event.ts). Absent: this backend asks none. */
  answer?(number: number, allowed: boolean): void;
  /** Stops the run again while a question stands: the user's shell has continued it, after Ctrl-Z. */
  holdAgain?(): void;
  /** Rejects with an IonError when the set-up failed: then no command ran. */
  readonly outcome: Promise<Outcome>;
  /** After the outcome: resolves when the process that supervised the command is gone. Absent: it is gone with the outcome. */
  readonly gone?: () => Promise<void>;
}

export interface Outcome {
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly because: 'itself' | 'timeout' | 'limit' | 'signal' | 'ion-gone';
  /** The signal that ended it from outside, or 0. */
  readonly asked: number;
  /** Processes that the command left running, and that ion killed; negative: some could not be killed. */
  readonly left: number;
  /** Undefined where it is unknown: only the launcher waits for the whole tree. */
  readonly usage: {readonly userUs: number; readonly systemUs: number; readonly maxRssKb: number} | undefined;
  /** Of a network table: they open exactly as outside, or are accepted first. Absent without one. */
  readonly connections?: Connections;
}

export type Connections = 'exact' | 'accepted first';
