import type {IonError} from '../errors.ts';
import type {Asker} from './ask/ask.ts';
import type {Timing} from './timing.ts';

/** The process that ion is, as data. */
export interface Host {
  readonly packageRoot: string;
  /** The folder in which the user started ion, canonical. Roots come from here, never from a command. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home whose `~/.ion` is used. */
  readonly home: string | undefined;
  /** Other paths that may be meant by home: HOME, or the passwd entry's. */
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
  /** Answers questions. Absent: the user at the terminal, if there is one. */
  readonly asker?: Asker | 'nobody';
}
