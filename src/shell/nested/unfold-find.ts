import type {Call, Nested} from './nested-call.ts';
import {withHoles} from './unfold-words.ts';

const actions = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Every `-exec cmd {} ;` and `-exec cmd {} +` of a find command. */
export function unfoldFind({argv, name}: Call): Nested[] {
  const found: Nested[] = [];
  for (let at = 1; at < argv.length; at++) {
    const action = argv[at]!.text;
    if (!actions.has(action)) continue;
    const from = at + 1;
    for (at = from; at < argv.length; at++) {
      const {text} = argv[at]!;
      if (text === ';' || (text === '+' && argv[at - 1]!.text === '{}')) break;
    }
    const many = argv[at]?.text === '+';
    const words = withHoles(argv.slice(from, many ? at - 1 : at), '{}', 'found');
    if (words.length === 0) continue;
    found.push({
      kind: 'command',
      argv: words,
      wrapper: `${name} ${action}`,
      ...(many ? {open: true, openFound: true} : {}),
    });
  }
  return found;
}
