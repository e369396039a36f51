import {rest} from './options.ts';
import {scriptOf, type Call, type Inner} from './inner.ts';

export function unfoldEval({argv}: Call): Inner[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  return scriptOf(argv.slice(from), 'eval');
}

export function unfoldTrap({argv}: Call): Inner[] {
  const from = argv[1]?.text === '--' ? 2 : 1;
  const action = argv[from];
  if (!action || argv.length <= from + 1 || action.text === '-' || action.text.startsWith('-')) return [];
  return scriptOf([action], 'trap');
}

/** bash -c expands no aliases, unless the command turns that on: what they stand for is looked at in any case. */
export function unfoldAlias({argv}: Call): Inner[] {
  return argv.slice(1).flatMap((word) => {
    const equals = word.text.indexOf('=');
    return equals === -1 ? [] : scriptOf([rest(word, equals + 1)], 'alias');
  });
}
