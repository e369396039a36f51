import {scanOptions} from '../options.ts';
import {scriptOf, type Call, type Nested} from './nested-call.ts';
import {wrapperRows} from './wrapper-table.ts';

/** `flock file cmd`, and `flock file -c 'script'`. */
export function unfoldFlock({argv, name}: Call): Nested[] {
  const {next} = scanOptions(argv, 1, wrapperRows['flock']!);
  const command = argv.slice(next + 1);
  const [first, script] = command;
  if (!first) return [];
  if (first.text !== '-c' && first.text !== '--command')
    return [{kind: 'command', argv: command, wrapper: name}];
  return script ? scriptOf([script], `${name} -c`) : [];
}
