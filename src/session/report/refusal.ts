import type {ResolvedConfig, Rule, Settings, Sourced} from '../../config/settings.ts';
import type {PathProblem} from '../../sandbox/app-level/path-check-input.ts';
import type {Boundary} from '../../sandbox/boundary.ts';
import type {AutorunEvent, LimitEvent} from '../../sandbox/run-event.ts';
import type {Violation} from '../../sandbox/violation.ts';

/** A violation with its number of occurrences. */
export interface CountedViolation extends Violation {
  readonly count: number;
  /** The process ended with a failure. Unknown before Linux 6.15. */
  readonly failed?: boolean;
}

/** The settings whose entries refuse something, and the home, which advice never opens as a whole. */
export interface RefusingSettings
  extends
    Pick<Settings, 'denyCommands' | 'deniedPaths' | 'protect' | 'frames'>,
    Partial<Pick<Settings, 'network' | 'workspace'>>,
    Pick<ResolvedConfig, 'trustedFiles'> {
  /** The rules of the settings, and the rules that ion stores. */
  readonly rules: readonly Rule[];
  /** The file that gets this run's events. */
  readonly eventsFile?: string | undefined;
  readonly home: string | undefined;
  /** The repository around the workspace that sandbox.workspace = "repository" would make writable. */
  readonly openableRepository?: string | undefined;
  readonly boundary?: Boundary;
  /** Read mode was not chosen: the command was approved because it only reads. */
  readonly approvedAsRead?: boolean;
  /**
   * The approval setting that asks for the network. Set if this run has no network because it is not approved yet.
   */
  readonly networkAsks?: Settings['approval'] | undefined;
}

/** The setting that refused it, if it is not a default. */
export interface RefusedBy {
  readonly why: string;
  readonly origin: Sourced<string>['origin'];
  readonly help: string;
}

/** Something that ion refused, reverted or removed. Only message-for.ts and advice.ts put it into words. */
export type Refusal =
  /** The boundary refused a call. */
  | {readonly kind: 'violation'; readonly violation: CountedViolation; readonly settings: RefusingSettings}
  /** The boundary refused writes in the run's own repository, outside the current folder: one message for all of them. */
  | {
      readonly kind: 'repository';
      readonly violations: readonly [CountedViolation, ...CountedViolation[]];
      readonly settings: RefusingSettings;
    }
  /** A path that the command names and that the boundary refused without a report. */
  | {
      readonly kind: 'named-path';
      readonly rule: 'unreadable' | 'outside' | 'protected';
      /** The folder itself is to be written, not only an entry of it. */
      readonly isWhole?: true;
      /** The path as the command spells it. */
      readonly requested: string;
      /** Its real path. */
      readonly path: string;
      readonly home: string;
    }
  /** A program that cannot do its task in the sandbox. */
  | {readonly kind: 'hint'; readonly text: string; readonly help: string}
  | {readonly kind: 'variables'; readonly names: readonly string[]}
  | {readonly kind: 'limit'; readonly event: LimitEvent; readonly limits: Settings['limits']}
  | {readonly kind: 'timeout'; readonly limits: Settings['limits']}
  /** Found after the run: reverted, quarantined or left. */
  | {readonly kind: 'repair'; readonly event: AutorunEvent}
  /** The check of the command's text, where the system has no sandbox. */
  | {
      readonly kind: 'path-check';
      readonly problem: PathProblem;
      readonly settings: Pick<RefusingSettings, 'protect' | 'frames'>;
      readonly home: string;
    }
  /** A command that was approved because it only reads tried to write. */
  | {
      readonly kind: 'approved-as-read';
      readonly command: string;
      /** The command as one word for bash. */
      readonly word: string;
      readonly target: string;
    };
