import {readFileSync} from 'node:fs';
import path from 'node:path';
import type {Action} from '../policy/decision.ts';
import {closedMessages} from '../session/closed.ts';
import type {Session} from '../session/session.ts';
import {say} from './output.ts';

/** After a run that failed: say what is closed to programs that do not say it themselves. */
export function sayWhatIsClosed(session: Session, {command}: Action): void {
  const {HOME: home = '/'} = session.host.environment;
  const configs = [
    path.join(home, '.gitconfig'),
    path.join(home, '.config/git/config'),
    path.join(session.config.workspace, '.git/config'),
  ];
  const signs = (): boolean =>
    configs.some((file) => /^\s*gpgsign\s*=\s*(?:true|yes|on|1)\s*$/im.test(textOf(file)));
  for (const message of closedMessages({segments: command?.analysis.segments ?? [], signs})) say(message);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
