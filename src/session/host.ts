import type {IonError} from '../errors.ts';
import type {Asker} from './ask/ask.ts';
import type {Audience} from './report/audience.ts';
import type {Timing} from './timing.ts';

/** The facts about ion's own process that a session needs. */
export interface Host {
  readonly packageRoot: string;
  /** The folder in which the user started ion, canonical. Roots come from here, never from a command. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home whose `~/.ion` is used. */
  readonly home: string | undefined;
  /** Other folders that may be the user's home: HOME, or the home of the passwd entry. */
  readonly otherHomes: readonly string[];
  /** Why HOME is not used. */
  readonly homeRefused?: string | undefined;
  readonly machineConfig: string;
  readonly uid: number;
  /** The Node that runs ion. */
  readonly node: string;
  readonly timing?: Timing;
  /** Reports a problem that stops nothing: a grant that could not be written, a hook that failed. */
  readonly warn?: (problem: IonError | string) => void;
  /** Who reads what commands about refusals print. Default: a person at a shell. */
  readonly reader?: Audience;
  /** Answers questions. 'none': every question is a denial. Default: the user at the terminal, if there is one. */
  readonly asker?: Asker | 'none';
}
