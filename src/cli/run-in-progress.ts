import type {Audience} from '../session/report/audience.ts';
import type {ShellForm} from '../shell/shell-arguments.ts';
import type {RunFlags} from './run-flags.ts';
import type {Decided, Decision} from '../policy/decision.ts';
import type {Recorder} from '../session/recorder.ts';
import type {ScriptFile} from '../session/script-root.ts';
import type {Session, SessionFlags} from '../session/session.ts';
import type {Ended} from './execute.ts';
import type {Interrupted, Signals} from './signals.ts';
import {refuse} from './state.ts';

/** The state that the steps of `ion run` share. */
export interface Run {
  readonly session: Session;
  readonly flags: SessionFlags;
  readonly recorder: Recorder;
  readonly signals: Signals;
  readonly made: Made;
  readonly given: CommandRun;
  /** Opens a session like this one with other flags. */
  readonly open: (flags: SessionFlags) => Promise<Session>;
  /** Where the command starts. Absent: where the session was opened. */
  readonly cwd?: string;
  /** The session is for many commands: its first and last hooks are not the command's. */
  readonly isLasting?: boolean;
}

/** One run: a command, how bash gets it, and who asked for it. */
export interface CommandRun {
  readonly command: string;
  /** Absent: `bash -c`. */
  readonly form?: ShellForm;
  /** The script that ion-sh was called with. */
  readonly script?: ScriptFile;
  readonly jobserver?: readonly [reads: number, writes: number] | undefined;
  readonly audience?: Audience;
  /** Started by ion-sh or ion-exec. */
  readonly front?: true;
  readonly options?: RunFlags;
}

/** The parts of a run that exist when it ends or fails. */
export interface Made {
  session?: Session;
  recorder?: Recorder;
  decided?: Decided;
  /** The id of the refusal: `decided` itself, or the refusal that stopped the command afterwards. */
  denial?: string;
  ended?: Ended;
  /** Set when a signal arrived while a hook ran or a question was open. */
  interrupted?: Interrupted;
}

/** Reports a refusal, with an id for `ion why` and `ion allow`. */
export function refuseIn({session, recorder, made}: Run, decision: Decision): void {
  made.denial = recorder.newRefusalId();
  refuse(decision, session.audience, made.denial);
}
