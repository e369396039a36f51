import type {AuditLog} from '../../audit/log.ts';
import {shorter} from '../../library/open.ts';
import {openRun, type OneRun} from '../../library/one-run.ts';
import type {Denial} from '../../library/types.ts';
import type {Running, Stdio} from '../../sandbox/launch.ts';
import type {Host} from '../../session/host.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openSession, type Session} from '../../session/session.ts';
import {openApprovals, type Approvals} from './approvals.ts';
import {openSlots, type CallSlots} from './call-slots.ts';
import {openOutputStore, type OutputStore} from './kept-output.ts';
import {openWorkingFolder} from './working-folder.ts';

/** At most this many calls work at the same time. */
const callsAtOnce = 8;
const denialsKept = 500;

/** The state of one connection: its sessions, and the data that its results refer to. */
export interface Serving {
  readonly host: Host;
  readonly flags: SessionFlags;
  readonly session: Session;
  readonly log: AuditLog | undefined;
  readonly approvals: Approvals;
  readonly slots: CallSlots;
  readonly outputs: OutputStore;
  /** Denials of this connection by id, for `explain`. */
  readonly denials: Map<string, Denial>;
  remember(denials: readonly Denial[]): void;
  /** A run that is not started yet. */
  prepare(request: RunRequest): Promise<OneRun>;
  /** Ends a command with the connection. Returns what to call when it has ended by itself. */
  track(running: Running, ended: Promise<unknown>): () => void;
  /** Ends with the connection. Called in the reverse of their order. */
  onClose(end: () => void | Promise<void>): void;
  close(): Promise<void>;
}

export interface RunRequest {
  readonly command: string;
  readonly read: boolean;
  readonly cwd?: string | undefined;
  /** Later calls without a `cwd` start in the folder of this one. */
  readonly keepCwd?: boolean;
  readonly timeoutMs?: number | undefined;
  readonly stdio: readonly [Stdio, Stdio, Stdio];
}

export async function openServing(caller: Host, flags: SessionFlags): Promise<Serving> {
  const approvals = openApprovals();
  const host: Host = {...caller, asker: approvals.asker};
  const session = await openSession(host, flags);
  const ends: (() => void | Promise<void>)[] = [() => session.close()];
  const log = await openAuditLog(session, (text) => host.warn?.(text));
  const denials = new Map<string, Denial>();
  const tracked = new Map<Running, Promise<unknown>>();
  const folder = openWorkingFolder(host.cwd);
  let hasStarted = false;
  const open = async (more: Partial<SessionFlags>): Promise<Session> => {
    const made = await openSession(host, {...flags, ...more});
    ends.push(() => made.close());
    return made;
  };
  let [reading, networked]: (Promise<Session> | undefined)[] = [];
  return {
    host,
    flags,
    session,
    log,
    approvals,
    slots: openSlots(callsAtOnce),
    outputs: openOutputStore(),
    denials,
    remember(list) {
      for (const one of list) denials.set(one.violation_id, one);
      for (const id of [...denials.keys()].slice(0, -denialsKept)) denials.delete(id);
    },
    async prepare({command, read, cwd, keepCwd = false, timeoutMs, stdio}) {
      const chosen = read ? await (reading ??= open({read: true})) : session;
      const isFirst = !hasStarted;
      hasStarted = true;
      return openRun({
        session: chosen,
        command,
        cwd: folder.choose(chosen, cwd, keepCwd),
        stdio,
        timeoutMs: shorter(timeoutMs, session.config.settings.limits.timeoutMs?.value),
        killSignal: 'SIGTERM',
        log,
        stream: () => undefined,
        isFirst,
        withNetwork: () => (networked ??= open({networkApproved: true})),
      });
    },
    track(running, ended) {
      tracked.set(running, ended);
      return () => void tracked.delete(running);
    },
    onClose: (end) => void ends.push(end),
    async close() {
      session.ending.end();
      approvals.asker.cancel();
      for (const running of tracked.keys()) running.signal('SIGKILL');
      await Promise.allSettled(tracked.values());
      if (hasStarted) await session.notify('Stop', () => undefined).catch(() => undefined);
      for (const end of ends.splice(0).toReversed()) await end();
    },
  };
}
