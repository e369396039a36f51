import {IonError} from '../errors.ts';
import type {Host} from '../session/host.ts';

/** The home whose `~/.ion` holds rules and logs. Throws an IonError if there is none. */
export function homeOf({home}: Pick<Host, 'home'>): string {
  if (!home)
    throw new IonError('HOME is not set, so ion has no folder for rules and logs', {help: 'set HOME'});
  return home;
}
