import type {RunEvent} from '../sandbox/run-event.ts';
import type {Session} from '../session/session.ts';
import type {Meanwhile} from './meanwhile.ts';

/**
 * One attack on a protection, as a bash script. Exit codes: 0 the attack succeeded, 77 there is nothing to attack here, 127
 * bash did not find its program; any other code means that the attack was refused.
 *
 * `$OUTSIDE` is an executable file outside the workspace, `$ION` is the pid of ion; targets.ts sets the other variables.
 * The workspace contains `.git/hooks/pre-commit`, `.vscode/`, another repository in `below/`, and the denied files `secret`
 * and `key.pem`; `base64` is a denied program. The tests run the same attacks unsandboxed, where they must succeed.
 */
export interface Attack {
  readonly name: string;
  readonly script: string;
  /** Some kernels lack the feature that it attacks. */
  readonly rare?: true;
  /** It needs a scene that only the doctor sets up. */
  readonly doctor?: true;
  /** The missing thing when it exits with 77, for the report. */
  readonly without?: string;
  /** Tried in a read-mode session that does not check the text of commands. */
  readonly undecided?: true;
  /** Best effort documents that this attack succeeds: it is tried only where the protection is enforced. */
  readonly enforcedOnly?: true;
  /** Tried in a session with network = "loopback". */
  readonly loopback?: true;
  /** Tried by an `ion run` of its own, among servers with names (named-servers.ts). */
  readonly servers?: true;
  /** Standard input is `$OUTSIDE`, opened for writing. */
  readonly handed?: true;
  /** The standard stream that the run gets (given-streams.ts). */
  readonly given?: Given;
  /**
   * The change that another process makes in the workspace while the command waits for it (`waits`). Replacing a file removes the
   * mounts on it, so only the supervisor protects it then. The attack is tried only where there is a supervisor.
   */
  readonly meanwhile?: Meanwhile;
  /**
   * The folder beside the workspace in which the attack starts. Its `.git` file names git folders of another repository.
   */
  readonly from?: 'outer' | 'outer/own' | 'outer/sibling' | 'tree' | 'linked';
  /** The config of its session, instead of that of the protection. */
  readonly config?: 'many.toml' | 'doctor.toml';
  /** Decides instead of the exit code, by the state after the run. */
  readonly after?: After;
  /** The refusal itself is not in question: the attack tests that the refusal is reported. */
  readonly reported?: true;
  /** A command line (words ended by NUL) that no process may have after the run. */
  readonly leaves?: string;
}

/** Returns whether the attack succeeded. It looks at the workspace and the run's events after ion has made its repairs. */
export type After = (run: {
  readonly workspace: string;
  readonly events: readonly RunEvent[];
  readonly session: Session;
}) => boolean;

/**
 * - `piped`: standard input is a pipe, for reading.
 * - `removed`: standard input is a removed file, for reading.
 * - `reader`: standard output is a pipe that contains `secret`, which is meant for its reader.
 * - `log`: standard output is `$OUTSIDE`, for appending.
 * - `read-log`: the same, and for reading.
 * - `connection`: standard input is a connection to a server outside.
 * - `datagrams`: standard input is a datagram socket that is not connected.
 */
export type Given = 'piped' | 'removed' | 'reader' | 'log' | 'read-log' | 'connection' | 'datagrams';

/** Makes system calls that bash cannot make. Exits with 77 without Python. */
export function python(code: string): string {
  return `command -v python3 >/dev/null || exit 77\npython3 - "$OUTSIDE" "$ION" <<'END'\nimport os, socket, sys\nOUTSIDE, ION = sys.argv[1], int(sys.argv[2])\n${code}\nEND`;
}

/** Uses the system's own Python: the Python of a toolchain can be a wrapper that starts other programs. */
export function systemPython(code: string): string {
  return `[ -x /usr/bin/python3 ] || exit 77\n/usr/bin/python3 - <<'END'\nimport os\n${code}\nEND`;
}

/** Needs a socket that ion made; exits with 77 where ion could not make it. */
export function socket(variable: string, code: string): string {
  return `[ -n "$${variable}" ] || exit 77\n${python(`s = socket.socket(socket.AF_UNIX)\n${code}`)}`;
}

/** Attacks the standard streams, so python reads its program from another descriptor. */
export function given(code: string): string {
  return `command -v python3 >/dev/null || exit 77\nexec 9<<'END'\nimport ctypes, fcntl, os, socket, sys\n${code}\nEND\npython3 /dev/fd/9`;
}

/** Exits with 77 when standard input is another file, which could be /dev/null. */
export const handed = '[ /dev/fd/0 -ef "$OUTSIDE" ] || exit 77';

/** The first lines of a script with a `meanwhile`. */
export const waits =
  'touch asked; for i in {1..500}; do [ -e done ] && break; sleep 0.02; done; [ -e done ] && [ ! -s done ] || exit 77\n';

/**
 * The request must reach the file system, even if the file system rejects it with `error`. Only the sandbox answers EPERM.
 */
export const asksFileSystem = (request: string, error: string): string =>
  python(
    `import errno, fcntl\ntry: fcntl.ioctl(os.open(".", os.O_RDONLY), ${request}, bytearray(4096))\nexcept OSError as e: sys.exit(e.errno == errno.${error})`,
  );
