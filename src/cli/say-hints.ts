import {accessSync, constants, existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {readSmallFile} from '../system/small-file.ts';
import type {Action} from '../policy/decision.ts';
import {isWithin} from '../system/is-within.ts';
import {closedMessages} from '../session/report/hints.ts';
import type {Session} from '../session/session.ts';
import {takenOutMessage} from '../session/report/taken-out.ts';
import {unreadMessages} from '../session/report/unread.ts';
import type {CountedViolation} from '../session/report/violations.ts';
import {say} from './output.ts';

/** After a run that failed: say what is closed to programs that do not say it themselves. `told`: the refusals that were said already. */
export function sayWhatIsClosed(
  session: Session,
  {command}: Action,
  told: readonly CountedViolation[],
): void {
  const {HOME: home = '/'} = session.host.environment;
  const configs = [
    path.join(home, '.gitconfig'),
    path.join(home, '.config/git/config'),
    path.join(session.config.workspace, '.git/config'),
  ];
  const signs = (): boolean =>
    configs.some((file) => /^[ \t]*gpgsign[ \t]*=[ \t]*(?:true|yes|on|1)[ \t]*$/im.test(textOf(file)));
  const {
    cwd,
    readRoots,
    writeRoots,
    withheld,
    protections,
    protected: pins,
    environmentRemoved,
  } = session.facts;
  const hasHusky = (): boolean => pins.existing.some((file) => path.basename(file) === '.husky');
  // Yarn 2 and later, known by the file that the preset knows it by, reads only its own; Yarn 1 looks into that one too.
  const stopsYarn = (): string[] =>
    (existsSync(path.join(session.config.workspace, '.yarnrc.yml'))
      ? ['.yarnrc.yml']
      : ['.npmrc', '.yarnrc', '.yarnrc.yml']
    )
      .filter((name) => existsSync(path.join(home, name)))
      .filter((name) => !readRoots.some((root) => isWithin(path.join(home, name), root)))
      .map((name) => `~/${name}`);
  const segments = command?.analysis.segments ?? [];
  for (const message of closedMessages({segments, signs, hasHusky, stopsYarn, told}))
    say(message, session.audience);
  const takenOut = takenOutMessage(command?.text ?? '', environmentRemoved);
  if (takenOut) say(takenOut, session.audience);
  const closed = protections.some(({id, level}) => id === 'reads' && level !== 'not');
  if (told.length > 0 || !command || !closed) return;
  const remotes = (): string[] =>
    textOf(configs[2]!)
      .split(/^[ \t]*(?=\[)/m)
      .filter((section) => section.startsWith('[remote '))
      .flatMap((section) =>
        [...section.matchAll(/^[ \t]*url[ \t]*=[ \t]*(\.{0,2}\/.*)$/gm)].map(([, url]) => url!.trim()),
      );
  const roots = [...readRoots, ...writeRoots];
  const place = {cwd, home, roots, withheld, writeRoots, protected: pins.existing, realOf, remotes};
  for (const message of unreadMessages(command.analysis, place)) say(message, session.audience);
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
