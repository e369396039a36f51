import {deniedPaths} from '../policy/denied-paths.ts';
import {openLinks} from '../sandbox/links.ts';
import type {Recorder} from '../session/recorder.ts';
import {offerRerun, rerunGrant} from '../session/rerun.ts';
import {loadPathMatcher} from '../session/path-matcher.ts';
import {openSession, type Session, type SessionFlags} from '../session/session.ts';
import {isExpected} from '../session/violations.ts';
import {openTerminal} from '../session/terminal.ts';
import {execute, type Ended} from './execute.ts';

const offerTimeoutMs = 120_000;

/**
 * approval = "on_failure": when the boundary stopped a command, offer a person one more run with exactly the grant that
 * was missing. Undefined when there is no such grant, nobody to ask, or the answer is no.
 */
export async function offerAgain(
  session: Session,
  flags: SessionFlags,
  command: string,
  {violations}: Ended,
  recorder: Recorder,
): Promise<Ended | undefined> {
  const {host, config} = session;
  const {settings} = config;
  const matchesPath = await loadPathMatcher(settings);
  const grant = rerunGrant(
    violations.filter((one) => !isExpected(one, session.expected)),
    {
      home: host.environment['HOME'] ?? '/nonexistent',
      denied: deniedPaths(settings.deniedPaths, openLinks()),
      ...(matchesPath ? {matchesPath} : {}),
    },
  );
  const terminal = grant && openTerminal(host.environment);
  if (!grant || !terminal) return undefined;
  try {
    if (!(await offerRerun(grant, terminal, offerTimeoutMs))) return undefined;
  } finally {
    terminal.close();
  }
  const again = await openSession(host, {...flags, grant});
  return execute(again, command, recorder);
}
