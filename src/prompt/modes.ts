import {statSync} from 'node:fs';
import path from 'node:path';
import {locationOf} from '../config/read/origin.ts';
import {IonError, quoted} from '../errors.ts';
import {openSession, type Host, type Session, type SessionFlags} from '../session/session.ts';

/** A mode that Shift+Tab reaches: read and write mode, and two rows of the approval table. */
export type ModeName = 'read' | 'write' | 'plan' | 'accept_edits';

/** The modes of a prompt. Each has a session, opened when it is first used. */
export interface Modes {
  readonly names: readonly ModeName[];
  current(): ModeName;
  session(): Session;
  flags(): SessionFlags;
  /** Changes the mode. Throws an IonError if the settings do not allow it: then the mode is as before. */
  change(to: ModeName): Promise<void>;
  /** Opens all sessions anew if a config file has changed, or with `always`. Returns whether it did. */
  refresh(always?: boolean): Promise<boolean>;
  close(): void;
}

/** Approval rows with which Shift+Tab reaches two more modes. */
const withRows = new Set(['default', 'plan', 'accept_edits']);

/** `given`: the flags of the command line. The first mode is the one that they and the config give. */
export async function openModes(host: Host, given: SessionFlags): Promise<Modes> {
  const first = await openSession(host, given);
  let [name, session] = [nameOf(first), first];
  let seen = fingerprint(first);
  const initial = name;
  const approval = first.config.settings.approval.value;
  const opened = new Map<ModeName, Session>([[name, first]]);
  const open = async (to: ModeName): Promise<Session> => {
    const made = await openSession(host, flagsFor(to));
    const problem = whyNot(to, made);
    if (!problem) return made;
    made.close();
    throw problem;
  };
  const flagsFor = (to: ModeName): SessionFlags => (to === initial ? given : flagsOf(given, to));
  const closeAll = (): void => {
    for (const one of opened.values()) one.close();
    opened.clear();
  };
  return {
    names: withRows.has(approval) ? ['read', 'write', 'plan', 'accept_edits'] : ['read', 'write'],
    current: () => name,
    session: () => session,
    flags: () => flagsFor(name),
    async change(to) {
      const next = opened.get(to) ?? (await open(to));
      opened.set(to, next);
      [name, session] = [to, next];
    },
    async refresh(always = false) {
      const now = fingerprint(session);
      if (!always && now === seen) return false;
      const next = await open(name);
      closeAll();
      opened.set(name, next);
      session = next;
      seen = fingerprint(next);
      return true;
    },
    close: closeAll,
  };
}

function nameOf({config: {settings}}: Session): ModeName {
  if (settings.mode.value === 'read') return 'read';
  const approval = settings.approval.value;
  return approval === 'plan' || approval === 'accept_edits' ? approval : 'write';
}

function flagsOf(given: SessionFlags, to: ModeName): SessionFlags {
  const {read: _, ...others} = given;
  if (to === 'read') return {...others, read: true};
  const row = to === 'write' ? [] : [`permissions.approval=${to}`];
  return {...others, sets: [...(given.sets ?? []), 'permissions.mode=write', ...row]};
}

/** A lock, or an untrusted project, may require the stricter value. */
function whyNot(to: ModeName, {config: {settings}}: Session): IonError | undefined {
  const {mode, approval} = settings;
  const wanted = to === 'read' ? 'read' : 'write';
  if (mode.value !== wanted) return held(to, 'permissions.mode', mode);
  if (to !== 'read' && to !== 'write' && approval.value !== to)
    return held(to, 'permissions.approval', approval);
  return undefined;
}

function held(
  to: ModeName,
  key: string,
  {value, origin}: {readonly value: string; readonly origin: Parameters<typeof locationOf>[0]},
): IonError {
  return new IonError(`cannot change to ${to}: ${key} is ${quoted(value)}`, {
    at: locationOf(origin),
    help: 'a lock, or a project that is not trusted, keeps the stricter value',
  });
}

/** The state of every config file that was read or looked for. */
function fingerprint({config, host}: Session): string {
  const files = config.layers.flatMap(({origin}) => (origin.file === undefined ? [] : [origin.file]));
  return files
    .map((shown) => {
      const file =
        shown.startsWith('~/') && host.home !== undefined ? path.join(host.home, shown.slice(2)) : shown;
      const stats = statSync(path.resolve(host.cwd, file), {throwIfNoEntry: false});
      return `${shown}:${stats ? [stats.ino, stats.size, stats.mtimeMs].join() : ''}`;
    })
    .join('\n');
}
