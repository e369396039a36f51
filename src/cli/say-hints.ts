import {existsSync} from 'node:fs';
import path from 'node:path';
import type {Action} from '../policy/decision.ts';
import {isWithin} from '../system/is-within.ts';
import {addressIn} from '../session/report/foreseen.ts';
import {hasHomeCache} from '../session/report/home-caches.ts';
import {hintsFor} from '../session/report/hints.ts';
import {messageFor} from '../session/report/message-for.ts';
import type {Session} from '../session/session.ts';
import {namedPathsInput, textOf} from '../session/report/named-paths-input.ts';
import {namedPathsRefused} from '../session/report/named-paths-refused.ts';
import type {CountedViolation, Refusal} from '../session/report/refusal.ts';
import {missedVariables} from '../session/report/removed-variables.ts';
import {say} from './output.ts';

/**
 * After a failed run: reports restrictions that programs do not report themselves. `reported` are the refusals that
 * already have closing lines.
 */
export function sayWhatIsClosed(
  session: Session,
  {command}: Action,
  reported: readonly CountedViolation[],
  cwd?: string,
): void {
  const {HOME: home = '/'} = session.host.environment;
  const configs = [
    path.join(home, '.gitconfig'),
    path.join(home, '.config/git/config'),
    path.join(session.config.workspace, '.git/config'),
  ];
  const signs = (): boolean =>
    configs.some((file) => /^[ \t]*gpgsign[ \t]*=[ \t]*(?:true|yes|on|1)[ \t]*$/im.test(textOf(file)));
  const {readRoots, protections, protected: protectedFiles, environmentRemoved} = session.facts;
  const hasHusky = (): boolean => protectedFiles.existing.some((file) => path.basename(file) === '.husky');
  // Yarn 2 and later, recognised by .yarnrc.yml as in the preset, reads only that file. Yarn 1 reads .npmrc,
  // .yarnrc and .yarnrc.yml.
  const stopsYarn = (): string[] =>
    (existsSync(path.join(session.config.workspace, '.yarnrc.yml'))
      ? ['.yarnrc.yml']
      : ['.npmrc', '.yarnrc', '.yarnrc.yml']
    )
      .filter((name) => existsSync(path.join(home, name)))
      .filter((name) => !readRoots.some((root) => isWithin(path.join(home, name), root)))
      .map((name) => `~/${name}`);
  const segments = command?.analysis.segments ?? [];
  const sayAll = (refusals: readonly Refusal[]): void => {
    for (const refusal of refusals) say(messageFor(refusal), session.audience);
  };
  sayAll(
    hintsFor({
      segments,
      signs,
      hasHusky,
      stopsYarn,
      reported,
      hasCache: (program) => hasHomeCache(program, home),
      address: addressIn(command?.text ?? ''),
    }),
  );
  const names = missedVariables(command?.text ?? '', environmentRemoved);
  if (names.length > 0) sayAll([{kind: 'variables', names}]);
  const closed = protections.some(({id, level}) => id === 'reads' && level !== 'not');
  if (reported.length > 0 || !command || !closed) return;
  sayAll(namedPathsRefused(command.analysis, namedPathsInput(session, cwd)));
}
