import {existsSync} from 'node:fs';
import {locationOf} from '../config/read/origin.ts';
import {isProject} from '../config/raw.ts';
import type {Ignored} from '../config/settings.ts';
import {losesWork} from '../shell/dangerous/loses-work.ts';
import {quoted} from '../errors.ts';
import type {Action, Decision} from '../policy/decision.ts';
import {deniesCommands} from '../policy/rules/compare-rules.ts';
import type {Outcome} from '../sandbox/launch.ts';
import type {Audience} from '../session/report/audience.ts';
import {terminalSession} from '../session/ask/terminal-session.ts';
import type {Recorder} from '../session/recorder.ts';
import type {Session} from '../session/session.ts';
import {say} from './output.ts';

/** Reports, on every run, how the boundary differs from an enforced sandbox. */
export async function stateBoundary(session: Session, recorder: Recorder): Promise<void> {
  const {config, facts, machine} = session;
  const said = await toSay(session);
  for (const ignored of config.ignored) {
    const {key, value, origin, why, help} = ignored;
    if (said.includes(ignored)) {
      say({text: `ignored: ${key} = ${value} (${why})`, at: locationOf(origin), help}, session.audience);
    }
    recorder.emit('config.ignored', {key, value, at: `${origin.file ?? ''}:${origin.line ?? 0}`, why});
  }
  if (session.host.home === undefined) {
    say({
      text: 'no home folder: HOME is not set, and this user has no passwd entry; "~/.ion" is not read, and nothing is recorded',
      help: 'set HOME',
    });
  }
  if (facts.backend === 'none') {
    const textOnly = deniesCommands(config.settings, session.rules)
      ? '; deny_commands and rules are checked only in its text'
      : '';
    say({text: `no sandbox: the command is not confined, and no path is checked${textOnly}`});
  }
  for (const {value, origin} of session.textOnlyPaths) {
    say({
      text: `the rule that denies the path ${quoted(value)} is checked only in the command's text here`,
      at: locationOf(origin),
      help: '"ion doctor" shows what is missing; with an entry of denied_paths instead, ion refuses to run',
    });
  }
  if (facts.backend === 'app-level' || facts.backend === 'seccomp-only') {
    say({
      text: `no file sandbox here (${machine.missing ?? 'the kernel has no Landlock'}): only paths named in the command are checked`,
      help: '"ion doctor" shows what is missing; with sandbox = "require" ion refuses to run',
    });
  }
}

/**
 * Settings of a project that would loosen the sandbox are ignored. ion reports them once for each content of the file to a user at
 * a terminal. Runs in a terminal session whose stderr is not the terminal (an agent, a loop with `2> log`) get one report per
 * session. A run outside every terminal session (CI) always reports them, because each job has its own log.
 */
async function toSay({config, host}: Session): Promise<readonly Ignored[]> {
  const ofProject = config.ignored.filter(({origin}) => isProject({kind: origin.layer}));
  if (ofProject.length === 0) return config.ignored;
  const [{isatty}, {isNews}] = await Promise.all([import('node:tty'), import('./reported-once.ts')]);
  const reader = isatty(2) ? 'terminal' : terminalSession();
  if (reader === undefined) return config.ignored;
  return isNews(host.home, config.workspace, {reader, ignored: ofProject})
    ? config.ignored
    : config.ignored.filter((one) => !ofProject.includes(one));
}

/** Reports why a command does not run. */
export function refuse({message, help, ruleRefs}: Decision, audience: Audience, id: string): void {
  const origin = ruleRefs[0]?.origin;
  say({text: message, at: origin && locationOf(origin), help}, audience, id);
}

/**
 * Warns only on a terminal, because other programs read the output of a headless run. Does not use process.stderr:
 * that would set O_NONBLOCK on a pipe that the command shares, and load streams.
 */
export async function warnOfDestruction({destructive}: Decision): Promise<void> {
  const warned = destructive.filter((one) => losesWork(one, existsSync));
  if (warned.length === 0) return;
  const {isatty} = await import('node:tty');
  if (!isatty(2)) return;
  for (const {what, impactScope, rollbackAdvice} of warned) {
    say({
      text: `destructive: ${what} (${impactScope.map((path) => quoted(path)).join(', ')})`,
      help: rollbackAdvice,
    });
  }
}

/**
 * Reports background processes that ion killed. The user may look for a server that this command has started. Without `&` in the
 * command nothing is reported: the user does not expect a background process then.
 */
export function sayWhatWasEnded({left, because}: Outcome, {command}: Action): void {
  if (because !== 'itself' || left <= 0 || !command?.analysis.constructs.has('background')) return;
  say({
    text: `killed ${left === 1 ? 'one process' : `${left} processes`} that the command left in the background`,
    help: 'no process outlives a run: use it in the same command, or start it without ion',
  });
}
