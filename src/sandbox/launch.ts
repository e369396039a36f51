import type {Message} from '../errors.ts';
import type {Features, Enforced} from './matrix.ts';
import type {SeatbeltPlan} from './macos/seatbelt-plan.ts';
import type {MountPlan} from './plan/protected.ts';

/** One way to confine a process: probe once, then start launches. A new backend is one folder with these. */
export interface Backend {
  readonly name: 'landlock' | 'mounts' | 'seccomp-only' | 'seatbelt' | 'app-level' | 'none';
  readonly features: Features;
  readonly enforced: readonly Enforced[];
  start(launch: Launch): Running;
}

/** Plain numbers in base units; absent = none. */
export interface LaunchLimits {
  readonly timeoutMs?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly processes?: number | undefined;
  readonly openFiles?: number | undefined;
  readonly fileSizeBytes?: number | undefined;
  readonly cpuSeconds?: number | undefined;
  readonly diskBytes?: number | undefined;
}

export type Stdio = number | 'inherit' | 'pipe' | 'ignore';

/** A root file system with nothing in it but these, read-only, and the write roots. Canonical. */
export interface View {
  readonly roots: readonly string[];
  readonly links: readonly {readonly path: string; readonly target: string}[];
}

/** Namespaces of the run's own. */
export interface World {
  readonly namespaces: Features['namespaces'];
  readonly networkNamespace: boolean;
  /** Is the loopback interface of the network namespace up? */
  readonly loopback: boolean;
  readonly mounts: MountPlan;
  /** What the root of the run's own has in it, where there is no Landlock; undefined: the root of the machine. */
  readonly view?: View | undefined;
  /** Terminals of the run's own, and where nothing else of it is a write root, an own /dev/shm. */
  readonly ownDevices: boolean;
  readonly ownShm: boolean;
  /** Files that the command sees a private copy of. */
  readonly shadows: readonly {readonly config: string; readonly copy: string}[];
}

export const outsideWorld: World = {
  ownDevices: false,
  ownShm: false,
  namespaces: 'none',
  networkNamespace: false,
  loopback: false,
  mounts: {writable: [], pinned: [], readonly: [], masked: [], executable: [], noexec: []},
  shadows: [],
};

/** One of denied_paths as native/launcher/base/path_pattern.h has it, and as the config does. */
export interface DeniedPattern {
  readonly pattern: string;
  readonly entry: string;
  /** Patterns of what below it is not denied after all. */
  readonly except?: readonly string[];
}

/** What executions are compared with; each list as native/launcher/options/options.h has it. */
export interface ExecRules {
  /** deny_commands. */
  readonly deny: readonly string[];
  /** Rules of scope command_prefix, the strongest first: `0d git push` (native/launcher/answer/exec/prefix_rules.h). */
  readonly rules: readonly string[];
  /** Files that are known by a name, under whatever name they are executed. */
  readonly known: readonly {readonly name: string; readonly path: string}[];
  readonly globalFlags: readonly string[];
  readonly globalValues: readonly string[];
  readonly globalEnds: readonly string[];
  readonly interpreters: readonly string[];
  readonly modules: readonly string[];
  readonly multiCalls: readonly string[];
}

/** Read mode's programs: only these files, and those below these folders, are executed. Canonical. */
export interface NamedPrograms {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Globs of variables that have to be as ion gave them wherever one executes. */
  readonly held: readonly string[];
}

/** What the supervisor looks at, and refuses. Paths are canonical. */
export interface Watch {
  readonly report: 'minimal' | 'denials' | 'all';
  readonly tellExecs: boolean;
  /** Absent: nothing is denied at exec. */
  readonly exec: ExecRules | undefined;
  readonly unixSockets: readonly string[];
  /** Told only where refused reads are reported. */
  readonly readable: readonly string[];
  /** Protected paths that do not exist. */
  readonly absent: readonly string[];
  /** Where there are any, each open for reading is asked about. */
  readonly denied: readonly DeniedPattern[];
  /** Told when a call that may change one of them was let through. */
  readonly watched: readonly string[];
  /** Are hooks, and configs, of repositories below the workspace refused too? */
  readonly nestedHooks: boolean;
  readonly nestedConfig: boolean;
  /** Of the workspace's own repository, which the lists above guard. */
  readonly gitFolders: readonly string[];
  readonly devices: readonly string[];
  /** Absent: any program is executed. */
  readonly named?: NamedPrograms | undefined;
}

/** One command, ready to start. */
export interface Launch {
  /** An absolute program and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Record<string, string>;
  /**
   * none: the filter refuses internet sockets; loopback: the supervisor makes their calls; full where they are allowed, or a network
   * namespace confines them.
   */
  readonly network: 'none' | 'loopback' | 'full';
  readonly world: World;
  /** Absent: no supervisor. */
  readonly watch: Watch | undefined;
  readonly seccomp: boolean;
  /** The running kernel's Landlock ABI; 0 = none. */
  readonly landlock: number;
  /** May the command write to /dev/shm? */
  readonly shmWritable: boolean;
  /** Has the user granted devices, whose ioctl requests only their drivers know? */
  readonly listedDevices: boolean;
  readonly limits: LaunchLimits;
  /** Of the file systems of these a limit of the disk counts what is lost; absent without one. */
  readonly diskRoots?: readonly string[] | undefined;
  /** Where the run's own control group is made; absent: none. */
  readonly cgroup?: string | undefined;
  /** Folders that are removed after the run, also when this process is killed. */
  readonly leftovers?: readonly string[] | undefined;
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  /** False with --no-sandbox: supervised all the same, so that nothing outlives the run. */
  readonly confined: boolean;
  /** Absent: not confined by seatbelt. */
  readonly seatbelt?: SeatbeltPlan | undefined;
  /** The command executes. */
  readonly onStarted?: (() => void) | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** What happens while a command runs. */
export type RunEvent =
  | LimitEvent
  | ({readonly kind: 'violation'} & Violation)
  /** How often violation `number` happened in the end, told only where it was more than once. */
  | {readonly kind: 'count'; readonly number: number; readonly count: number}
  /** Violations of further kinds that were too many to tell. */
  | {readonly kind: 'untold'; readonly count: number}
  | {readonly kind: 'exec'; readonly pid: number; readonly words: readonly string[]}
  | TouchedEvent
  | AutorunEvent;

/** A call that may change the file was let through; or there are more such files than are told, of which this is the first. */
export interface TouchedEvent {
  readonly kind: 'touched' | 'more-touched';
  readonly path: string;
}

/** A limit of the whole run was passed, which ended it; or a process has met one of its own, and goes on as it can. */
export interface LimitEvent {
  readonly kind: 'limit';
  readonly limit: string;
  readonly value: number;
  /** Of the process; absent or 0: the whole run. */
  readonly pid?: number;
}

/** What was found, and done, about an auto-run file after the run. */
export interface AutorunEvent {
  readonly kind: 'autorun';
  readonly path: string;
  readonly did: 'undone' | 'quarantined' | 'left';
  readonly message: Message;
}

/** One thing that the boundary refused, told by the supervisor. */
export interface Violation {
  /** Its number in the run. */
  readonly number: number;
  readonly operation: 'read' | 'write' | 'exec' | 'connect' | 'bind' | 'control';
  readonly syscall: string;
  readonly rule: ViolationRule;
  readonly pid: number;
  readonly program: string;
  /** The resolved path, the address, or the command line. */
  readonly target: string;
  /** The pattern that matched, for `denied-command`; the prefix, for `denied-rule`; the entry of denied_paths, for `denied-path`. */
  readonly detail: string;
}

export type ViolationRule =
  | 'unreadable'
  | 'outside'
  | 'protected'
  /** A standard stream was to be opened again in a way that it was not given for: for writing, or for reading. */
  | 'stream'
  | 'stream-read'
  /** One that was given for appending was to be cut, or written elsewhere than at its end. */
  | 'stream-appended'
  | 'denied-path'
  | 'denied-command'
  /** Not one of the programs that the command names, in read mode; or a variable was changed that keeps them to reading. */
  | 'read-mode'
  | 'denied-rule'
  | 'network'
  /** A port was to be listened on: what a network of the run's own would allow. */
  | 'loopback'
  /** A port was to be listened on at an address of the machine's, or a server of a process outside to be reached. */
  | 'beyond-loopback'
  | 'outside-server'
  | 'unix-socket'
  | 'signal'
  | 'scheduling';

export interface Running {
  /** The streams that were asked for as pipes. */
  readonly stdio: readonly [
    import('node:stream').Writable | null,
    import('node:stream').Readable | null,
    import('node:stream').Readable | null,
  ];
  /** Pass a signal to the command. */
  signal(name: NodeJS.Signals): void;
  /** Rejects with an IonError when the set-up failed: then nothing has run. */
  readonly outcome: Promise<Outcome>;
}

export interface Outcome {
  readonly code: number | undefined;
  readonly signal: number | undefined;
  readonly because: 'itself' | 'timeout' | 'limit' | 'signal' | 'ion-gone';
  /** The signal that ended it from outside, or 0. */
  readonly asked: number;
  /** Processes that the command left running, and that were ended; negative: some could not be killed. */
  readonly left: number;
  /** Undefined where nobody can say: only the launcher waits for the whole tree. */
  readonly usage: {readonly userUs: number; readonly systemUs: number; readonly maxRssKb: number} | undefined;
}
