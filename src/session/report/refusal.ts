import type {ResolvedConfig, Rule, Settings, Sourced} from '../../config/settings.ts';
import type {PathProblem} from '../../sandbox/app-level/path-check-input.ts';
import type {Boundary} from '../../sandbox/boundary.ts';
import type {AutorunEvent, LimitEvent, Violation} from '../../sandbox/launch.ts';

/** A violation with how often it happened. */
export interface CountedViolation extends Violation {
  readonly count: number;
}

/** The settings that refuse by name, and the homes, which are not to be opened as a whole. */
export interface RefusingSettings
  extends
    Pick<Settings, 'denyCommands' | 'deniedPaths' | 'protect' | 'frames'>,
    Pick<ResolvedConfig, 'trustedFiles'> {
  /** The settings' and those that ion stores itself. */
  readonly rules: readonly Rule[];
  /** Where this run's events go. */
  readonly eventsFile?: string | undefined;
  readonly home: string | undefined;
  /** The repository around the workspace that sandbox.workspace = "repository" would make writable. */
  readonly openableRepository?: string | undefined;
  readonly boundary?: Boundary;
  /** Nobody chose read mode: the command was approved because it only reads. */
  readonly approvedAsRead?: boolean;
  /** The row by which the network of the settings waits for an approval that this run does not have. */
  readonly networkAsks?: Settings['approval'] | undefined;
}

/** What of the settings refused something that no default does. */
export interface RefusedBy {
  readonly why: string;
  readonly origin: Sourced<string>['origin'];
  readonly help: string;
}

/** What ion refused, undid or took away. message-for.ts and advice.ts are the only places that put it into words. */
export type Refusal =
  /** The boundary refused a call. */
  | {readonly kind: 'violation'; readonly violation: CountedViolation; readonly settings: RefusingSettings}
  /** The boundary refused writes in the run's own repository, outside the current folder: one message for all of them. */
  | {
      readonly kind: 'repository';
      readonly violations: readonly [CountedViolation, ...CountedViolation[]];
      readonly settings: RefusingSettings;
    }
  /** A path that the command names, and that the boundary refused without a report. */
  | {
      readonly kind: 'named-path';
      readonly rule: 'unreadable' | 'outside' | 'protected';
      /** As the command has it. */
      readonly requested: string;
      /** Where it leads. */
      readonly path: string;
      readonly home: string;
    }
  /** A program that cannot do in the sandbox what it is for. */
  | {readonly kind: 'hint'; readonly text: string; readonly help: string}
  | {readonly kind: 'variables'; readonly names: readonly string[]}
  | {readonly kind: 'limit'; readonly event: LimitEvent; readonly limits: Settings['limits']}
  | {readonly kind: 'timeout'; readonly limits: Settings['limits']}
  /** Found after the run, and reverted, quarantined or left. */
  | {readonly kind: 'repair'; readonly event: AutorunEvent}
  /** The look at the command's text, where no sandbox of the system is. */
  | {readonly kind: 'path-check'; readonly problem: PathProblem}
  /** A command that was approved because it only reads tried to write. */
  | {
      readonly kind: 'approved-as-read';
      readonly command: string;
      /** It as one word for bash. */
      readonly word: string;
      readonly target: string;
    };
