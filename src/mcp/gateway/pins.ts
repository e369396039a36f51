import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {canonicalJson} from '../../audit/canonical.ts';
import {IonError, quoted} from '../../errors.ts';
import {normalServer} from '../../config/server-name.ts';
import {replaceFile} from '../../system/atomic-file.ts';
import type {Params} from '../wire/message.ts';

/** The known tools of one server, in `~/.ion/mcp/<server>.json`. */
interface Pinned {
  /** The hash of each definition that is in force, by the tool's name. */
  readonly accepted: Readonly<Record<string, string>>;
  /** Definitions that differ from the accepted ones, and wait for `ion mcp accept`. */
  readonly changed: Readonly<Record<string, {readonly hash: string; readonly definition: Params}>>;
}

/** Full: too many names of this server are known. */
export type PinState = 'accepted' | 'first' | 'changed' | 'full';

/** Names of one server in its file. A hostile server could otherwise list new ones without end. */
export const pinnedAtMost = 1000;

export interface Pins {
  /** Looks at a definition. The first one of a tool is pinned. One that differs waits until the user accepts it. */
  look(name: string, definition: Params): PinState;
  /** Writes what `look` has found. */
  save(): void;
}

/** Without a home every definition is the first. */
export function openPins(home: string | undefined, server: string): Pins {
  const file = home === undefined ? undefined : pinFile(home, server);
  const pinned: Pinned = file === undefined ? {accepted: {}, changed: {}} : readPins(file);
  const [accepted, changed] = [
    new Map(Object.entries(pinned.accepted)),
    new Map(Object.entries(pinned.changed)),
  ];
  let isNew = false;
  return {
    look(name, definition) {
      const hash = definitionHash(definition);
      const known = accepted.get(name);
      if (known === hash) {
        isNew ||= changed.delete(name);
        return 'accepted';
      }
      if (known === undefined && accepted.size >= pinnedAtMost) return 'full';
      isNew = true;
      if (known === undefined) {
        accepted.set(name, hash);
        return 'first';
      }
      changed.set(name, {hash, definition});
      return 'changed';
    },
    save() {
      if (!isNew || file === undefined) return;
      isNew = false;
      writePins(file, {accepted: Object.fromEntries(accepted), changed: Object.fromEntries(changed)});
    },
  };
}

/** Every member counts: a model reads the title, the annotations and the schemas too. */
export function definitionHash(definition: Params): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** Names that rules treat as equal share their pins. */
function pinFile(home: string, server: string): string {
  return path.join(home, '.ion/mcp', `${normalServer(server)}.json`);
}

function readPins(file: string): Pinned {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as {code?: string}).code === 'ENOENT') return {accepted: {}, changed: {}};
    throw error;
  }
  try {
    const {accepted, changed} = JSON.parse(text) as Pinned;
    return {accepted: {...accepted}, changed: {...changed}};
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
}

export function waitingPins(home: string, server: string): readonly WaitingPin[] {
  return Object.entries(readPins(pinFile(home, server)).changed).map(([name, one]) => ({name, ...one}));
}

/**
 * Accepts the definitions that the user has seen. The server may have listed others since: those still wait.
 */
export function acceptPins(home: string, server: string, seen: readonly WaitingPin[]): void {
  const file = pinFile(home, server);
  const {accepted, changed} = readPins(file);
  const hashes = new Map(seen.map(({name, hash}) => [name, hash]));
  writePins(file, {
    accepted: {...accepted, ...Object.fromEntries(hashes)},
    changed: Object.fromEntries(
      Object.entries(changed).filter(([name, {hash}]) => hashes.get(name) !== hash),
    ),
  });
}
