import type {Host} from '../session/session.ts';
import type {Jobs} from './command-jobs.ts';
import type {History} from './history-file.ts';
import type {Modes} from './modes.ts';
import type {Services} from './services.ts';
import type {Shell} from './shell/shell-session.ts';
import type {TerminalDevice} from './terminal/terminal-device.ts';

/** The state of a prompt between its commands. */
export interface Prompt {
  readonly host: Host;
  readonly services: Services;
  readonly terminal: TerminalDevice;
  readonly modes: Modes;
  readonly shell: Shell;
  readonly jobs: Jobs;
  readonly history: History;
  /** Aborted when a signal ends ion. */
  readonly ended: AbortSignal;
  exitCode: number | undefined;
  denial: string | undefined;
  isFirst: boolean;
  /** The user was warned of stopped jobs: the next `exit` ends them. */
  wasWarned: boolean;
  /** The user has been told that a command's state may be lost. */
  knowsOfLoss: boolean;
}
