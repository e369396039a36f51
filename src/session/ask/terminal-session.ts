import {readFileSync} from 'node:fs';

/**
 * A unique name for a terminal session, shared by everything that its shell starts. It is made of uid, boot id, and
 * the session leader's pid and start time. Undefined without a controlling terminal, and where /proc does not have
 * these facts (macOS, a leader outside the PID namespace). Then what is remembered ends with the process.
 */
export function terminalSession(): string | undefined {
  const own = statOf('self');
  if (!own || own.terminal === '0' || own.session === '0') return undefined;
  const started = statOf(own.session)?.started;
  const boot = bootId();
  if (started === undefined || boot === undefined) return undefined;
  return ['tty', process.getuid?.() ?? 0, boot, own.session, started].join('_');
}

/**
 * Reports whether the leader of this session is still alive. False for a session of another boot, and for any other
 * name.
 */
export function isLiveSession(name: string): boolean {
  const [, , boot, leader = '', started, ...others] = name.split('_');
  return (
    others.length === 0 && /^\d+$/.test(leader) && boot === bootId() && statOf(leader)?.started === started
  );
}

interface ProcessStat {
  readonly session: string;
  /** The device number of the controlling terminal. "0" if there is none. */
  readonly terminal: string;
  /** Ticks since boot. */
  readonly started: string;
}

/** See proc_pid_stat(5). The second field is the program's name, which may hold any characters. */
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
