import {isYes, notYesOrNo} from '../session/ask/rerun.ts';
import {openTerminal, type Caller} from '../session/ask/terminal.ts';

/** As long as somebody takes to read a config. */
const timeoutMs = 600_000;

/** A question with the answers yes and no, on the controlling terminal; undefined where there is none. Anything but a yes is a no. */
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
