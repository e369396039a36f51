import {existsSync} from 'node:fs';
import {isIonError} from '../errors.ts';
import {makeGranted} from '../system/make-granted.ts';
import {deniedPaths} from '../policy/paths/denied-paths.ts';
import {openLinks} from '../system/links.ts';
import type {Recorder} from '../session/recorder.ts';
import {offerRerun, rerunGrant} from '../session/ask/rerun.ts';
import {loadPathMatcher} from '../session/path-matcher.ts';
import type {Session, SessionFlags} from '../session/session.ts';
import {isExpected} from '../session/report/expected.ts';
import {namedPathsRefused} from '../session/report/named-paths-refused.ts';
import {refusingSettings} from '../session/report/violations.ts';
import {openTerminal} from '../session/ask/terminal.ts';
import type {Action} from '../policy/decision.ts';
import {namedPathsInput} from '../session/report/named-paths-input.ts';
import type {CommandRun, Made} from './run-in-progress.ts';
import {execute, type Ended} from './execute.ts';
import {shellStart} from './shell-start.ts';
import type {Signals} from './signals.ts';

const offerTimeoutMs = 120_000;

interface Again {
  readonly session: Session;
  readonly flags: SessionFlags;
  readonly recorder: Recorder;
  readonly signals: Signals;
  readonly made: Made;
  readonly given: CommandRun;
  readonly open: (flags: SessionFlags) => Promise<Session>;
  /** Where the command starts. Absent: where the session was opened. */
  readonly cwd?: string;
}

/**
 * approval = "on_failure": after the boundary stopped a command, offers the user one more run with exactly the
 * missing grant. Undefined if there is no such grant, no terminal, or the answer is no.
 */
export async function offerAgain(
  {session, flags, recorder, signals, made, given, open, cwd}: Again,
  action: Action,
  {violations, outcome}: Ended,
): Promise<Ended | undefined> {
  const {host, config} = session;
  const {command} = action;
  if (config.lock) return undefined;
  const {settings} = config;
  const matchesPath = await loadPathMatcher(settings);
  const stopped = violations.filter((one) => !isExpected(one, session.expected));
  // A refused read is not reported unless every read is notified. So the paths that the command's text names are checked, also
  // beside a reported refusal: `cp -r ../a ../b` needs both.
  const named =
    command && (outcome.code !== 0 || stopped.length === 0)
      ? namedPathsRefused(command.analysis, namedPathsInput(session, cwd))
      : [];
  const limits = {
    settings: refusingSettings(session),
    exists: existsSync,
    denied: deniedPaths(settings.deniedPaths, openLinks()),
    ...(matchesPath ? {matchesPath} : {}),
  };
  const grant = rerunGrant([...stopped, ...named], limits) ?? rerunGrant(stopped, limits);
  const terminal = grant && openTerminal(host);
  if (!grant || !terminal) return undefined;
  try {
    const answer = offerRerun(grant, terminal, offerTimeoutMs);
    if (!(await session.ending.during(() => terminal.cancel(), answer))) return undefined;
  } catch (error) {
    // The exit code reports that the command failed. A failed offer is only a warning.
    if (!isIonError(error)) throw error;
    host.warn?.(error.message);
    return undefined;
  } finally {
    terminal.close();
  }
  for (const {path, kind} of grant.makes ?? []) makeGranted(path, kind);
  const again = (made.session = await open({...flags, grant}));
  return execute(again, action, recorder, signals, shellStart(given, command!.text));
}
