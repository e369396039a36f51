import {accessSync, constants, realpathSync} from 'node:fs';
import path from 'node:path';
import {readSmallFile} from '../config/read.ts';
import type {Action} from '../policy/decision.ts';
import {closedMessages} from '../session/closed.ts';
import type {Session} from '../session/session.ts';
import {unreadMessages} from '../session/unread.ts';
import {say} from './output.ts';

/** After a run that failed: say what is closed to programs that do not say it themselves. `told`: of refusals, it was already. */
export function sayWhatIsClosed(session: Session, {command}: Action, told: boolean): void {
  const {HOME: home = '/'} = session.host.environment;
  const configs = [
    path.join(home, '.gitconfig'),
    path.join(home, '.config/git/config'),
    path.join(session.config.workspace, '.git/config'),
  ];
  const signs = (): boolean =>
    configs.some((file) => /^[ \t]*gpgsign[ \t]*=[ \t]*(?:true|yes|on|1)[ \t]*$/im.test(textOf(file)));
  for (const message of closedMessages({segments: command?.analysis.segments ?? [], signs})) say(message);
  const {cwd, readRoots, writeRoots, withheld, protections, protected: pins} = session.facts;
  const closed = protections.some(({id, level}) => id === 'reads' && level !== 'not');
  if (told || !command || !closed) return;
  const remotes = (): string[] =>
    textOf(configs[2]!)
      .split(/^[ \t]*(?=\[)/m)
      .filter((section) => section.startsWith('[remote '))
      .flatMap((section) =>
        [...section.matchAll(/^[ \t]*url[ \t]*=[ \t]*(\.{0,2}\/.*)$/gm)].map(([, url]) => url!.trim()),
      );
  const roots = [...readRoots, ...writeRoots];
  const place = {cwd, home, roots, withheld, writeRoots, protected: pins.existing, realOf, remotes};
  for (const message of unreadMessages(command.analysis, place)) say(message);
}

function realOf(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The command may have put anything there: a FIFO would be waited for without end. */
function textOf(file: string): string {
  try {
    return readSmallFile({path: file, shown: file})?.text ?? '';
  } catch {
    return '';
  }
}
