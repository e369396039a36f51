import {readFileSync} from 'node:fs';
import {IonError} from '../errors.ts';
import {maxArgumentBytes} from '../sandbox/linux/start-launcher.ts';

/**
 * Checks a command string before it is analysed. Throws an IonError (125) for text that bash could not get unchanged:
 * an empty one, one with a NUL byte, or one longer than an argument may be.
 */
export function checkCommand(command: string): void {
  if (command.trim() === '')
    throw new IonError('the command is empty', {help: 'usage: ion run "<bash command>"'});
  if (command.includes('\0')) throw new IonError('the command has a NUL byte, which bash cannot take');
  const bytes = Buffer.byteLength(command) + 1;
  if (bytes > maxArgumentBytes) {
    throw new IonError(
      `the command has ${bytes - 1} bytes, and the kernel takes at most ${maxArgumentBytes - 1} in one argument`,
      {
        help: 'put it into a file and run "bash <file>"',
      },
    );
  }
}

/**
 * Refuses a command that is not valid UTF-8. Node decodes its arguments as UTF-8 and replaces invalid bytes, so
 * another command than the given one would run. Only checked if there is a replacement character.
 */
export function checkEncoding(words: readonly string[]): void {
  if (process.platform !== 'linux' || !words.some((word) => word.includes('\ufffd'))) return;
  const raw = readFileSync('/proc/self/cmdline');
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(raw);
  } catch {
    throw new IonError('the command is not valid UTF-8', {help: 'put it into a file and run "bash <file>"'});
  }
}

/** Words that have a special meaning to bash as the first word, even without any operator. */
const reserved = new Set([
  ...[
    '!',
    '[[',
    ']]',
    '{',
    '}',
    'case',
    'coproc',
    'do',
    'done',
    'elif',
    'else',
    'esac',
    'fi',
    'for',
    'function',
    'if',
  ],
  ...['in', 'select', 'then', 'time', 'until', 'while'],
]);

/**
 * An argv as one bash command. Each word is quoted, so that none is split again. The first word is a command, never
 * bash grammar.
 */
export async function quoteArgv(argv: readonly string[]): Promise<string> {
  const nul = argv.findIndex((word) => word.includes('\0'));
  if (nul !== -1) throw new IonError('the command has a NUL byte, which bash cannot take');
  const {quote} = await import('../shell/quote.ts');
  const [first = '', ...rest] = argv;
  const program = reserved.has(first) ? `\\${first}` : quote([first]);
  return [program, ...rest.map((word) => quote([word]))].join(' ');
}
