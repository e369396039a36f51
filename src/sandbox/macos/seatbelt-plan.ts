import {realpathSync} from 'node:fs';
import path from 'node:path';
import {isPattern} from '../../config/path-patterns.ts';
import type {NetworkWord} from '../../config/network/network-table.ts';
import type {ReportLevel} from '../../config/settings.ts';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Root} from '../plan/roots.ts';
import {openLinks} from '../../system/links.ts';
import {globPattern} from './seatbelt-patterns.ts';

/** The inputs of a profile. All paths are canonical: seatbelt uses the real path, and `/tmp` is `/private/tmp`. */
export interface SeatbeltPlan {
  /** 32 hex digits: the log carries it with each refusal. */
  readonly tag: string;
  readonly network: NetworkWord;
  readonly report: ReportLevel;
  readonly read: readonly string[];
  /** Readable, but not executable. */
  readonly view: readonly string[];
  readonly list: readonly string[];
  readonly write: readonly string[];
  readonly append: readonly string[];
  /** No file below these folders is executable, whatever root grants it. */
  readonly noExecute: readonly string[];
  /** Write roots in which the run may bind and connect to sockets. */
  readonly localSockets: readonly string[];
  readonly namedSockets: readonly string[];
  readonly protect: readonly string[];
  readonly denied: readonly {readonly path: string; readonly glob: boolean}[];
}

export interface SeatbeltInput {
  readonly tag: string;
  readonly network: NetworkWord;
  readonly report: ReportLevel;
  readonly roots: readonly Root[];
  /** The temp folder, when programs of every user keep sockets in it. */
  readonly sharedTemp: string | undefined;
  readonly unixSockets: readonly string[];
  /** Folders whose files are not executable. */
  readonly closed: readonly string[];
  /** Protected paths, existing and absent. */
  readonly protect: readonly string[];
  readonly deniedPaths: readonly string[];
}

/** Resolves the roots. Throws an IonError for a root that must exist and does not. */
export function seatbeltPlan(input: SeatbeltInput): SeatbeltPlan {
  const {real} = pathsAsTheyAre();
  const granted = (grant: Root['grant']): string[] =>
    unique(input.roots.filter((root) => root.grant === grant).flatMap((root) => realRoot(root)));
  const write = unique([...granted('write'), ...granted('scratch')]);
  const sharedTemp = input.sharedTemp === undefined ? undefined : real(input.sharedTemp);
  return {
    tag: input.tag,
    network: input.network,
    report: input.report,
    read: granted('read'),
    view: granted('view'),
    list: granted('list'),
    write,
    append: granted('append'),
    noExecute: unique([...granted('scratch'), ...input.closed.map(real)]),
    localSockets: write.filter((root) => root !== sharedTemp),
    namedSockets: unique([...granted('socket'), ...input.unixSockets.map(real)]),
    protect: unique(input.protect.map(real)),
    denied: input.deniedPaths.map((text) => deniedPath(text, real)),
  };
}

/**
 * Folders above the protected and denied paths inside a write root, including that root: renaming one would move them
 * away.
 */
export function ancestorsOf({write, protect, denied}: SeatbeltPlan): string[] {
  const found = new Set<string>();
  const kept = [...protect, ...denied.map(({path: text, glob}) => (glob ? literalPart(text) : text))];
  for (const file of kept) {
    for (let parent = path.dirname(file); parent !== '/'; parent = path.dirname(parent)) {
      if (write.some((root) => isWithin(parent, root))) found.add(parent);
    }
  }
  return [...found].sort();
}

/** The folders of a glob before its first wildcard, after an optional prefix to remove. */
function literalPart(glob: string): string {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?{]/.test(part));
  return wild === -1 ? glob : [...parts.slice(0, wild), '*'].join('/');
}

function realRoot({path: file, optional}: Root): string[] {
  try {
    return [realpathSync(file)];
  } catch (error) {
    if (optional) return [];
    throw new IonError(`cannot grant ${quoted(file)}: ${(error as Error).message}`, {
      help: 'every root must exist and be reachable; see "ion config" for where it comes from',
      cause: error,
    });
  }
}

function deniedPath(text: string, real: (path: string) => string): SeatbeltPlan['denied'][number] {
  if (!isPattern(text)) return {path: real(text), glob: false};
  const literal = path.dirname(literalPart(text));
  const moved = `${real(literal) === '/' ? '' : real(literal)}${text.slice(literal === '/' ? 0 : literal.length)}`;
  if (globPattern(moved) === undefined) {
    throw new IonError(`cannot enforce denied_paths ${quoted(text)} here: seatbelt has no such pattern`, {
      help: 'use only *, **, ? and simple {a,b} in denied_paths on macOS',
    });
  }
  return {path: moved, glob: true};
}

function pathsAsTheyAre(): {real: (path: string) => string} {
  const real = openLinks();
  return {
    real: (file) => {
      const found = real(file);
      if (found === undefined)
        throw new IonError(`cannot look up ${quoted(file)}`, {
          help: 'see "ion config" for where it comes from',
        });
      return found;
    },
  };
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
