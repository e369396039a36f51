import type {Meanwhile} from './meanwhile.ts';

/**
 * One attack on a protection, as bash: exits 0 when it got through, 77 when there is nothing to attack with, 127 when bash
 * does not find its program, anything else when it was refused. `$OUTSIDE` is an executable file outside the workspace, `$ION`
 * the pid of ion; the other variables are those of outside.ts. In the workspace stand `.git/hooks/pre-commit`, `.vscode/`, another
 * repository in `below/`, and the denied files `secret` and `key.pem`; `base64` is denied. The same attacks run unsandboxed in the tests, where they must get through.
 */
export interface Attack {
  readonly name: string;
  readonly script: string;
  /** Not every kernel has what it attacks. */
  readonly rare?: true;
  /** It needs what only the doctor sets up. */
  readonly doctor?: true;
  /** What there is not when it exits with 77. */
  readonly without?: string;
  /** Tried in a session in read mode, where nothing looks at the text. */
  readonly undecided?: true;
  /** Best effort states that this one passes: tried only where the protection is enforced. */
  readonly enforcedOnly?: true;
  /** Tried in a session with network = "loopback". */
  readonly loopback?: true;
  /** Standard input is `$OUTSIDE`, opened for writing. */
  readonly handed?: true;
  /** What is handed over as a standard stream (given-streams.ts). */
  readonly given?: Given;
  /**
   * What another process does in the workspace while the command waits for it (`waits`). What it replaces loses the mounts on it. Then
   * the supervisor stands alone, so it is tried only where there is one.
   */
  readonly meanwhile?: Meanwhile;
  /** The folder beside the workspace that it is tried in: its `.git` file names what is another's. */
  readonly from?: 'outer/sibling' | 'tree';
  /** It is refused wherever it can be; what is tried is whether that is told. */
  readonly told?: true;
  /** A command line (words ended by NUL) that no process may have when the run is over. */
  readonly leaves?: string;
}

/**
 * - `piped`: standard input is a pipe, for reading.
 * - `removed`: standard input is a removed file, for reading.
 * - `reader`: standard output is a pipe, with `secret` in it that is for its reader.
 * - `log`: standard output is `$OUTSIDE`, for appending.
 * - `connection`: standard input is a connection to a server outside.
 * - `datagrams`: standard input is a datagram socket that is not connected.
 */
export type Given = 'piped' | 'removed' | 'reader' | 'log' | 'connection' | 'datagrams';

/** Python, where it is there, for calls that bash cannot make. */
export function python(code: string): string {
  return `command -v python3 >/dev/null || exit 77\npython3 - "$OUTSIDE" "$ION" <<'END'\nimport os, socket, sys\nOUTSIDE, ION = sys.argv[1], int(sys.argv[2])\n${code}\nEND`;
}

/** By the system's own Python: one of a toolchain is a wrapper that starts others. */
export function systemPython(code: string): string {
  return `[ -x /usr/bin/python3 ] || exit 77\n/usr/bin/python3 - <<'END'\nimport os\n${code}\nEND`;
}

/** A connection to one of ion's sockets, where ion could make it. */
export function socket(variable: string, code: string): string {
  return `[ -n "$${variable}" ] || exit 77\n${python(`s = socket.socket(socket.AF_UNIX)\n${code}`)}`;
}

/** Of the streams that were given: by python, which takes its program from another descriptor. */
export function given(code: string): string {
  return `command -v python3 >/dev/null || exit 77\nexec 9<<'END'\nimport ctypes, fcntl, os, socket, sys\n${code}\nEND\npython3 /dev/fd/9`;
}

/** Never on anything else, which could be /dev/null. */
export const handed = '[ /dev/fd/0 -ef "$OUTSIDE" ] || exit 77';

/** The beginning of a script with a `meanwhile`. */
export const waits =
  'touch asked; for i in {1..500}; do [ -e done ] && break; sleep 0.02; done; [ -e done ] && [ ! -s done ] || exit 77\n';

/** Reaches the file system, whatever that one says of the request: only the sandbox answers EPERM. */
export const asksFileSystem = (request: string, error: string): string =>
  python(
    `import errno, fcntl\ntry: fcntl.ioctl(os.open(".", os.O_RDONLY), ${request}, bytearray(4096))\nexcept OSError as e: sys.exit(e.errno == errno.${error})`,
  );
