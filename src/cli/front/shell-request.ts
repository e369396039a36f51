import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {parseShellArguments, type ShellArguments} from '../../shell/shell-arguments.ts';
import type {Caller} from './caller.ts';

/** A request to ion-sh or ion-exec. */
export type ShellRequest =
  | Exclude<ShellArguments, {kind: 'wrong'}>
  | {readonly kind: 'wrong'; readonly text: string; readonly code: number};

/** The names by which ion-sh may be called, and the option of bash for each. */
const posixNames = ['sh', 'dash', 'ash'];

/** Pure. Throws an IonError (125) for words that ion does not support. */
export function shellRequest({program, argv}: Pick<Caller, 'program' | 'argv'>): ShellRequest {
  const [called = '', ...args] = argv;
  if (program === 'ion-exec') return execRequest(args);
  const name = path.basename(called).replace(/^-/, '');
  if (name === 'zsh') {
    throw new IonError('ion-sh is not zsh: it runs bash, which reads many zsh commands in another way', {
      help: 'set bash or ion-sh as the shell of that program',
    });
  }
  const posix = posixNames.includes(name) ? ['--posix'] : [];
  const parsed = parseShellArguments(args);
  if (parsed.kind === 'wrong') return {kind: 'wrong', text: `${name}: ${parsed.why}`, code: 2};
  if (parsed.kind === 'shows') return parsed;
  return {...parsed, form: {...parsed.form, options: [...posix, ...parsed.form.options]}} as ShellRequest;
}

/** One argument is the command. A second one would be lost: the caller takes ion-exec for another program. */
function execRequest(args: readonly string[]): ShellRequest {
  const [text, ...more] = args;
  if (text === undefined || more.length > 0) {
    throw new IonError(
      text === undefined
        ? 'ion-exec needs the command as its only argument'
        : `ion-exec takes the whole command as its only argument, not ${quoted(more[0]!)} as well`,
      {
        help: 'usage: ion-exec "<bash command>"; with options or arguments: ion-sh -c "<bash command>" name arguments',
      },
    );
  }
  return {kind: 'command', text, form: {options: [], operands: []}};
}
