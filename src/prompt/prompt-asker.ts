import {IonError} from '../errors.ts';
import {terminalAsker, type Asker} from '../session/ask/ask.ts';
import {openTerminal, type Caller} from '../session/ask/terminal.ts';

/** Asks on the terminal of the prompt. Answers for the session last as long as the prompt: they are not stored. */
export function promptAsker(caller: Caller): Asker {
  let asking: Asker | undefined;
  const open = (): Asker => {
    const terminal = openTerminal(caller);
    if (!terminal) throw new IonError('there is no terminal to ask on');
    return (asking ??= terminalAsker(terminal));
  };
  return {
    ask: (decision, action, context) => open().ask(decision, action, context),
    say: (text) => asking?.say(text),
    cancel: () => asking?.cancel(),
    close() {
      asking?.close();
      asking = undefined;
    },
  };
}
