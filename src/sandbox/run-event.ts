import type {LimitName} from '../config/limits.ts';
import type {InsideNumber, Violation} from './violation.ts';

/** Events during a command. */
export type RunEvent =
  | LimitEvent
  | ({readonly kind: 'violation'} & Violation)
  /** The final count of violation `number`, and whether its process failed; reported only if above one, or failed. */
  | {readonly kind: 'count'; readonly number: number; readonly count: number; readonly failed?: boolean}
  /** A job was stopped. The terminal is ion's again. */
  | {readonly kind: 'stopped'; readonly signal: number}
  /** Violations of further kinds that are too many to report. */
  | {readonly kind: 'unreported'; readonly count: number}
  /** A name of the network table was reached on a port for the first time. */
  | {readonly kind: 'reached'; readonly name: string; readonly port: number}
  /** The run looks up a name under a rule that asks, and is stopped until `Running.answer`. */
  | ({readonly kind: 'question'} & AskedName)
  /** The question is over. `counts`: the answer was passed on as it is. Else it was a no, and perhaps without an answer. */
  | {readonly kind: 'answered'; readonly number: number; readonly counts: boolean}
  /** After `Running.holdAgain`: the run is stopped. */
  | {readonly kind: 'held'}
  | ({readonly kind: 'exec'; readonly pid: number; readonly words: readonly string[]} & InsideNumber)
  | TouchedEvent
  | AutorunEvent;

/** A name of the network that needs an answer of the user. */
export interface AskedName extends InsideNumber {
  /** Of the question in its run, from 0. */
  readonly number: number;
  readonly name: string;
  /** The process that looked it up; 0: unknown. */
  readonly pid: number;
  readonly program: string;
}

/**
 * A call that may change the file was let through; or there are more such files than are reported, and this is the
 * first.
 */
export interface TouchedEvent {
  readonly kind: 'touched' | 'more-touched';
  readonly path: string;
}

/** The run passed a limit of its own, which ended it; or a process reached its limit, and continues as it can. */
export interface LimitEvent extends InsideNumber {
  readonly kind: 'limit';
  readonly limit: LimitName;
  readonly value: number;
  /** The process that met the limit. Absent or 0: the whole run. */
  readonly pid?: number;
}

/** An auto-run file that was found after the run, and what ion did about it. */
export interface AutorunEvent {
  readonly kind: 'autorun';
  readonly path: string;
  readonly repair: AutorunRepair;
}

/** ion's action on an auto-run file. `keys` are keys of git's config that git would obey; none: git cannot read the file. */
export type AutorunRepair =
  /** `place`: where the file is now. */
  | {readonly did: 'quarantined'; readonly place: string}
  /** `kept`: where the change is now. Absent: ion could not write it. */
  | {readonly did: 'undone'; readonly keys: readonly string[]; readonly kept: string | undefined}
  /** A config: another process holds its lock, or changed the same lines. */
  | {readonly did: 'left'; readonly because: 'unmerged'; readonly kept: string | undefined}
  | {readonly did: 'left'; readonly because: LeftBecause; readonly keys?: readonly string[] | undefined};

export type LeftBecause =
  /** One of its folders is a symlink now. */
  | 'symlink'
  | 'too-large'
  /** The supervisor did not see the run change it. */
  | 'unknown'
  | 'not-reverted'
  | 'not-quarantined'
  /** Another process replaced it, which removed the mount over it; then the run wrote it. */
  | 'replaced'
  /** In a repository that the run made. */
  | 'own-hook'
  | 'own-commondir'
  | 'own-config'
  /** The first of more files of such repositories than ion checks. */
  | 'too-many';
