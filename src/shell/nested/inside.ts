import type {Word} from '../analysis.ts';
import {interpreters, programsOfModule, type Interpreter} from './interpreters.ts';
import {possibleOperands, rest} from '../options.ts';

const kinds = Object.values(interpreters).map((interpreter) => ({
  interpreter,
  names: new RegExp(
    `^(?:${interpreter.names.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(' ', '|')})$`,
  ),
}));

/**
 * The commands that an interpreter runs in its own process: `deploy x` for `sh ./deploy x`, `pip install` for `python3 -m
 * pip install`.
 */
export function insideInterpreter(argv: readonly Word[], name: string): readonly (readonly Word[])[] {
  const interpreter = kinds.find(({names}) => names.test(name))?.interpreter;
  if (!interpreter || argv.length < 2) return [];
  return [...scripts(argv, interpreter), ...(interpreter.modules ? modules(argv, interpreter) : [])];
}

function scripts(argv: readonly Word[], interpreter: Interpreter): (readonly Word[])[] {
  const operands = possibleOperands(argv, 1, interpreter).filter((at) => at < argv.length);
  return operands.slice(0, maxOperands).map((at) => argv.slice(at));
}

const maxOperands = 64;

/**
 * A module may run another module that a second `-m` names: `-m cProfile -m pip`. After a script, `-m` is one of the
 * script's own options.
 */
function modules(argv: readonly Word[], {flags = '', values = '', ends}: Interpreter): (readonly Word[])[] {
  const listed = (names: string, letter: string): boolean => names.split(' ').includes(letter);
  const found: (readonly Word[])[] = [];
  let inside = false;
  for (let at = 1; at < argv.length; at++) {
    const {text} = argv[at]!;
    const option = /^-([A-Za-z]*?)m/.exec(text);
    if (option && option[1]!.split('').every((letter) => listed(flags, letter))) {
      const attached = text.length > option[0].length;
      const module = attached ? rest(argv[at]!, option[0].length) : argv[++at];
      if (!module) break;
      inside = true;
      found.push(...asPrograms(module, argv.slice(at + 1)));
      // runpy runs the module that its first operand names.
      if (module.text === 'runpy' && argv[at + 1])
        found.push(...asPrograms(argv[at + 1]!, argv.slice(at + 2)));
      continue;
    }
    if (inside) continue;
    if (!text.startsWith('-') || text === '-' || text === '--') break;
    const letters = text.startsWith('--') ? [text] : text.slice(1).split('');
    if (letters.some((letter) => listed(ends, letter))) break;
    if (listed(values, letters.at(-1)!)) at++;
  }
  return found;
}

function asPrograms(module: Word, args: readonly Word[]): (readonly Word[])[] {
  if (!module.literal) return [[module, ...args]];
  return programsOfModule(module.text).map((text) => [{...module, text}, ...args]);
}
