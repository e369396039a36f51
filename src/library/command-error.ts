import type {CommandError, Result} from './types.ts';

/** The known fields of a command's error. A missing field gets the value of a command that did not run. */
export interface ErrorFields extends Partial<Result> {
  readonly help?: string | undefined;
}

export const notRun: Omit<Result, 'facts' | 'decision'> = {
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
