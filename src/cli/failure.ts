import {exitCodes, isIonError, type IonError} from '../errors.ts';
import {adviceFor} from '../system/system-errors.ts';
import {errorTo, type Audience} from '../session/report/audience.ts';
import {say} from './output.ts';

/** An error as `--json` shows it. `file` and `line` are its location in a config, if it has one. */
export interface ErrorRecord {
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly help: string | null;
}

/** Shows an error on stderr. Returns the exit code. */
export function showError(error: unknown, audience: Audience = 'person'): number {
  if (isIonError(error)) {
    const help = error.help ?? adviceFor(error.cause);
    say({text: error.message, at: error.at, help: errorTo(audience, help)});
    return error.exitCode;
  }
  const help = adviceFor(error);
  if (help !== undefined) {
    const text = `the command did not run, or did not finish: ${(error as Error).message}`;
    say({text, help: errorTo(audience, help)});
    return exitCodes.failed;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say({
    text: 'this is a bug in ion',
    details: shown,
    help: 'please report it, with the command that you ran',
  });
  return exitCodes.failed;
}

export function errorRecord(error: unknown, audience: Audience): ErrorRecord {
  const {at, help, cause}: Partial<IonError> = isIonError(error) ? error : {cause: error};
  return {
    message: error instanceof Error ? error.message : String(error),
    file: at?.file ?? null,
    line: at?.line ?? null,
    help: errorTo(audience, help ?? adviceFor(cause)) ?? null,
  };
}
