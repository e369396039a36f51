import type {Message} from '../errors.ts';
import type {Outcome, Running} from '../sandbox/launch.ts';
import type {Session, SessionFlags} from '../session/session.ts';

/** The functions of the command line that the prompt needs. cli/ passes them in. */
export interface Services {
  readonly say: (message: Message) => void;
  /** States how the boundary differs from an enforced sandbox. */
  readonly stateBoundary: (session: Session) => Promise<void>;
  /** Decides on a command and carries it out, as `ion run` does. It reports an error, and returns its exit code. */
  readonly run: (input: CommandInput) => Promise<CommandEnd>;
  /** Runs a command of ion's own: `why`, `allow`, `trust`, `permissions`. */
  readonly own: (args: readonly string[]) => Promise<number>;
}

export interface CommandInput {
  readonly session: Session;
  readonly flags: SessionFlags;
  readonly open: (flags: SessionFlags) => Promise<Session>;
  readonly command: string;
  readonly cwd: string;
  readonly signals: CommandSignals;
  /** The SessionStart hooks run before it. */
  readonly isFirst: boolean;
}

/** Like `Signals` of the command line, but for a job. */
export interface CommandSignals {
  orEnd<T>(work: () => Promise<T>): Promise<T>;
  passOn(start: () => Promise<Running>): Promise<Outcome>;
  close(): void;
}

export interface CommandEnd {
  readonly code: number;
  /** The id of its latest refusal. */
  readonly denial: string | undefined;
}
