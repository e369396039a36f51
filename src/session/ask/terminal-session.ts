import {readFileSync} from 'node:fs';

/**
 * What one terminal's shell starts, by a name that no other terminal session has: uid, boot id, and the session leader's pid and start
 * time. Undefined where this process has no controlling terminal, and where /proc does not say (macOS, a leader outside of the PID
 * namespace): then what is remembered ends with the process.
 */
export function terminalSession(): string | undefined {
  const own = statOf('self');
  if (!own || own.terminal === '0' || own.session === '0') return undefined;
  const started = statOf(own.session)?.started;
  const boot = bootId();
  if (started === undefined || boot === undefined) return undefined;
  return ['tty', process.getuid?.() ?? 0, boot, own.session, started].join('_');
}

/** Does the leader of this session still live? False for one of another boot, and for what is no name of a session. */
export function isLiveSession(name: string): boolean {
  const [, , boot, leader = '', started, ...others] = name.split('_');
  return (
    others.length === 0 && /^\d+$/.test(leader) && boot === bootId() && statOf(leader)?.started === started
  );
}

interface ProcessStat {
  readonly session: string;
  /** Of the controlling terminal, by its device number; "0" for none. */
  readonly terminal: string;
  /** Ticks since boot. */
  readonly started: string;
}

/** proc_pid_stat(5). The second field is the program's name, which may hold anything. */
function statOf(pid: string): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {session: fields[3]!, terminal: fields[4]!, started: fields[19]!};
  } catch {
    return undefined;
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
}
