import type {ActionRecord} from '../audit/events.ts';
import {exitCodes} from '../errors.ts';
import type {Outcome} from '../sandbox/launch.ts';
import {actionRecord, permissionStateRecord, type Recorder} from './recorder.ts';
import type {Session} from './session.ts';

/** Records the first event of a run, before any step that may take long. */
export function recordStart(
  recorder: Recorder,
  {config, host, terminalSession}: Session,
  action: string | ActionRecord,
  version: string,
  cwd = host.cwd,
): void {
  recorder.emit('run.started', {
    ion_version: version,
    pid: process.pid,
    cwd,
    workspace: config.workspace,
    terminal_session: terminalSession() ?? null,
    action: typeof action === 'string' ? actionRecord(action) : action,
    permission_state: permissionStateRecord(config),
  });
  // A hook may run for long before the command does.
  if (config.settings.hooks.length > 0) recorder.flush();
}

/** Returns ion's own exit code if it has one, else the command's. A limit ends the tree with SIGKILL. */
export function exitCode({code, signal, because, asked, left}: Outcome): number {
  // Success is not reported while processes of the run may still be alive.
  if (left < 0 && code === 0) return exitCodes.failed;
  if (because === 'timeout') return exitCodes.timedOut;
  if (because === 'limit') return 128 + 9;
  if (signal === undefined) return code ?? exitCodes.failed;
  return 128 + (because === 'signal' ? asked : signal);
}
