import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {canonicalJson} from '../../audit/canonical.ts';
import {IonError, quoted} from '../../errors.ts';
import {normalServer} from '../../config/server-name.ts';
import {replaceFile} from '../../system/atomic-file.ts';
import type {Params} from '../wire/message.ts';

/** The known tools of one server, in `~/.ion/mcp/<server>.json`. */
interface Pinned {
  /** The definitions that are in force, by the tool's name. */
  readonly accepted: Readonly<Record<string, AcceptedPin>>;
  /** Definitions that are new or differ from the accepted ones, and wait for `ion mcp accept`. */
  readonly waiting: Readonly<Record<string, {readonly hash: string; readonly definition: Params}>>;
  /** Accepted tools that the latest whole list did not have. */
  readonly unlisted: readonly string[];
}

interface AcceptedPin {
  readonly hash: string;
  /** Kept to show what has changed since. Only the hash counts. */
  readonly definition?: Params;
}

/**
 * First: the server is not known yet. New: the server is known, and has shown no tool of this name before. Full: too many
 * definitions of this server are kept.
 */
export type PinState = 'accepted' | 'first' | 'changed' | 'new' | 'full';

/** Names of one server in its file. A hostile server could otherwise list new ones without end. */
export const pinnedAtMost = 1000;
/** The size of the stored definitions of one server, with those that wait for the user. */
const keptBytes = 4 * 1024 * 1024;

export interface Pins {
  /** Reads what the user has accepted meanwhile. */
  refresh(): void;
  /**
   * Looks at a definition. In the first connection with a server each is pinned. Later one that is new or differs waits until
   * the user accepts it.
   */
  look(name: string, definition: Params): PinState;
  /** Writes what `look` has found. `listed`: the names of a whole list. */
  save(listed?: ReadonlySet<string>): void;
}

/** Without a home every connection is the first. */
export function openPins(home: string | undefined, server: string): Pins {
  const file = home === undefined ? undefined : pinFile(home, server);
  const known = file === undefined ? undefined : readPins(file);
  const isFirst = known === undefined;
  const accepted = new Map(Object.entries(known?.accepted ?? {}));
  const waiting = new Map(Object.entries(known?.waiting ?? {}));
  let unlisted = known?.unlisted ?? [];
  let [isNew, version] = [false, versionOf(file)];
  const room = {accepted: roomBeside(accepted), waiting: roomBeside(waiting)};
  const merge = (pinned: Pinned | undefined): void => {
    for (const [name, one] of Object.entries(pinned?.accepted ?? {})) accepted.set(name, one);
    for (const [name, {hash}] of waiting) if (accepted.get(name)?.hash === hash) waiting.delete(name);
    Object.assign(room, {accepted: roomBeside(accepted), waiting: roomBeside(waiting)});
  };
  return {
    refresh() {
      if (file === undefined || versionOf(file) === version) return;
      version = versionOf(file);
      merge(readPins(file));
    },
    look(name, definition) {
      const hash = definitionHash(definition);
      const one = accepted.get(name);
      if (one?.hash === hash) {
        isNew ||= waiting.delete(name);
        return 'accepted';
      }
      if (one === undefined && isFirst) {
        if (accepted.size >= pinnedAtMost) return 'full';
        isNew = true;
        accepted.set(name, room.accepted.take(definition) ? {hash, definition} : {hash});
        return 'first';
      }
      if (waiting.get(name)?.hash !== hash) {
        if (!waiting.has(name) && waiting.size >= pinnedAtMost) return 'full';
        if (!room.waiting.take(definition)) return 'full';
        waiting.set(name, {hash, definition});
        isNew = true;
      }
      return one === undefined ? 'new' : 'changed';
    },
    save(listed) {
      if (listed) {
        const gone = [...accepted.keys()].filter((name) => !listed.has(name));
        isNew ||= gone.join() !== unlisted.join();
        unlisted = gone;
      }
      if (!isNew || file === undefined) return;
      isNew = false;
      merge(readPins(file)); // the user may have accepted something meanwhile
      writePins(file, {
        accepted: Object.fromEntries(accepted),
        waiting: Object.fromEntries(waiting),
        unlisted,
      });
      version = versionOf(file);
    },
  };
}

/** Every member counts: a model reads the title, the annotations and the schemas too. */
export function definitionHash(definition: Params): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

interface Room {
  /** Returns false if there is none left for this definition. */
  take(definition: Params): boolean;
}

function roomBeside(pins: ReadonlyMap<string, {readonly definition?: Params}>): Room {
  const size = (one: Params | undefined): number => (one ? JSON.stringify(one).length : 0);
  let left = [...pins.values()].reduce((sum, one) => sum - size(one.definition), keptBytes);
  return {
    take(definition) {
      const isEnough = size(definition) <= left;
      if (isEnough) left -= size(definition);
      return isEnough;
    },
  };
}

/** Names that rules treat as equal share their pins. */
function pinFile(home: string, server: string): string {
  return path.join(home, '.ion/mcp', `${normalServer(server)}.json`);
}

function versionOf(file: string | undefined): string {
  const info = file === undefined ? undefined : statSync(file, {throwIfNoEntry: false});
  return info ? `${info.ino} ${info.mtimeMs} ${info.size}` : '';
}

/** Undefined if there is none: the server is not known. */
function readPins(file: string): Pinned | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as {code?: string}).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const {accepted, waiting, unlisted} = JSON.parse(text) as Partial<Pinned>;
    return {accepted: {...accepted}, waiting: {...waiting}, unlisted: [...(unlisted ?? [])]};
  } catch (cause) {
    // Not "first": a damaged file must not accept whatever comes next.
    throw new IonError(`${quoted(file)} is damaged`, {help: 'look at it, and remove it', cause});
  }
}

function writePins(file: string, pinned: Pinned): void {
  mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
  replaceFile(file, `${JSON.stringify(pinned, undefined, 2)}\n`);
}

/** A definition that waits for the user. */
export interface WaitingPin {
  readonly name: string;
  readonly hash: string;
  readonly definition: Params;
  /** The one that is in force. Undefined for a new tool. */
  readonly accepted: Params | 'not kept' | undefined;
}

export interface WaitingPins {
  readonly waiting: readonly WaitingPin[];
  readonly unlisted: readonly string[];
}

export function waitingPins(home: string, server: string): WaitingPins {
  const {accepted, waiting, unlisted} = readPins(pinFile(home, server)) ?? nothing;
  const before = (name: string): WaitingPin['accepted'] =>
    Object.hasOwn(accepted, name) ? (accepted[name]!.definition ?? 'not kept') : undefined;
  return {
    waiting: Object.entries(waiting).map(([name, one]) => ({name, ...one, accepted: before(name)})),
    unlisted,
  };
}

const nothing: Pinned = {accepted: {}, waiting: {}, unlisted: []};

/**
 * Accepts the definitions that the user has seen. The server may have listed others since: those still wait.
 */
export function acceptPins(home: string, server: string, seen: readonly WaitingPin[]): void {
  const file = pinFile(home, server);
  const {accepted, waiting, unlisted} = readPins(file) ?? nothing;
  const all = new Map(Object.entries(accepted));
  for (const {name, hash} of seen) all.set(name, {hash});
  const room = roomBeside(all);
  for (const {name, hash, definition} of seen) if (room.take(definition)) all.set(name, {hash, definition});
  const hashes = new Map(seen.map(({name, hash}) => [name, hash]));
  writePins(file, {
    accepted: Object.fromEntries(all),
    waiting: Object.fromEntries(
      Object.entries(waiting).filter(([name, {hash}]) => hashes.get(name) !== hash),
    ),
    unlisted,
  });
}
