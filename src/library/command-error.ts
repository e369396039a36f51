import {isIonError} from '../errors.ts';
import type {CommandError, Result} from './types.ts';

/** The known fields of a command's error. A missing field gets the value of a command that did not run. */
export interface ErrorFields extends Partial<Result> {
  readonly help?: string | undefined;
}

const notRun: Omit<Result, 'facts' | 'decision'> = {
  command: '',
  stdout: '',
  stderr: '',
  exitCode: undefined,
  signal: undefined,
  failed: true,
  timedOut: false,
  isCanceled: false,
  isMaxBuffer: false,
  durationMs: 0,
  denials: [],
  runId: '',
};

/** An error with the fields of a result, as execa's are. */
export function commandError(
  message: string,
  code: string,
  fields: ErrorFields,
  cause?: unknown,
): CommandError {
  const error = new Error(message, cause === undefined ? {} : {cause});
  error.name =
    code === 'ABORT_ERR' ? 'AbortError' : code === 'ERR_ION_DENIED' ? 'DeniedError' : 'CommandError';
  return Object.assign(error, {
    facts: undefined,
    decision: undefined,
    ...notRun,
    ...fields,
    failed: true,
    code,
  });
}

/** The error of a command that ran and failed. `reason` is that of the caller's AbortSignal. */
export function failureOf(result: Result, reason: unknown): CommandError {
  if (result.isCanceled) return commandError('the command was aborted', 'ABORT_ERR', result, reason);
  if (result.isMaxBuffer)
    return commandError('the command wrote more than maxBuffer', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', result);
  return commandError(`the command ${howItEnded(result)}: ${result.command}`, 'ERR_ION_FAILED', result);
}

function howItEnded({timedOut, signal, exitCode}: Result): string {
  if (timedOut) return 'timed out';
  return signal === undefined ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
}

/** The error that kept a command from running, in the form for the caller. A denial and Node's own errors stay as they are. */
export function shownError(
  error: unknown,
  words: readonly string[],
  runId: string,
): Error & {readonly exitCode?: number | undefined} {
  if (error instanceof Error && 'code' in error && 'runId' in error) return error;
  const fields: ErrorFields = {
    command: words.join(' '),
    runId,
    ...(isIonError(error) ? {exitCode: error.exitCode, help: error.help} : {}),
  };
  if (error instanceof Error && 'errno' in error) return Object.assign(error, {...notRun, ...fields});
  const message = error instanceof Error ? error.message : String(error);
  return commandError(message, 'ERR_ION_SETUP', fields, error);
}
