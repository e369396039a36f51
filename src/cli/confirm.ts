import {isYes, notYesOrNo} from '../session/ask/rerun.ts';
import {openTerminal, type Caller} from '../session/ask/terminal.ts';

/** Enough time to read a config. */
const timeoutMs = 600_000;

/**
 * Asks a yes-or-no question on the controlling terminal. Undefined if there is none. Any answer except yes means no.
 */
export function confirmOn(caller: Caller): (text: string) => Promise<boolean | undefined> {
  return async (text) => {
    const terminal = openTerminal(caller);
    if (!terminal) return undefined;
    try {
      const {line} = await terminal.readLine(() => text, timeoutMs, notYesOrNo);
      return isYes(line);
    } finally {
      terminal.close();
    }
  };
}
