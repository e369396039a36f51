import {locationOf} from '../../config/read/origin.ts';
import {IonError} from '../../errors.ts';
import type {Session} from '../../session/session.ts';

/** Says on stderr what an untrusted layer would have loosened. */
export function warnOfIgnored({config, host}: Session): void {
  for (const {key, value, why, origin, help} of config.ignored)
    host.warn?.(new IonError(`ignored: ${key} = ${value} (${why})`, {at: locationOf(origin), help}));
}
