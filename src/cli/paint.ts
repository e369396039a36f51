import {isatty} from 'node:tty';
import * as util from 'node:util';
import {IonError, quoted} from '../errors.ts';

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** Properties of a stream that ion writes its own lines to. */
export interface Paper {
  readonly colors: boolean;
  /** In columns. Undefined if the stream is not a terminal. */
  readonly width: number | undefined;
}

type Style = Parameters<typeof util.styleText>[0];

/** Colours by the beginning of a line. The first match applies. */
const styles: readonly (readonly [RegExp, Style])[] = [
  [/^ion: (?:blocked|denied|stopped|timed out|limited|this is a bug)\b/, ['red', 'bold']],
  [/^ion: (?:ignored|warning|reverted|quarantined|note)\b/, ['yellow', 'bold']],
  [/^ion:/, ['bold']],
  [/^ -->/, ['dim']],
  [/^help:/, ['green']],
];

let choice: ColorChoice = 'auto';

/** Sets `--color`. Throws an IonError for an unknown word. */
export function chooseColor(word: string): void {
  const chosen = colorChoices.find((one) => one === word);
  if (!chosen) {
    throw new IonError(`--color takes auto, always or never, not ${quoted(word)}`, {
      help: 'auto: on a terminal, unless NO_COLOR is set',
    });
  }
  choice = chosen;
}

/** The properties of a descriptor: a terminal of the user, or a pipe of a program. NO_COLOR: https://no-color.org */
export function paperOf(descriptor: number, environment: NodeJS.ProcessEnv = process.env): Paper {
  const isTerminal = isatty(descriptor);
  const wants = isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return {
    colors: choice === 'always' || (choice === 'auto' && wants),
    width: isTerminal ? (descriptor === 1 ? process.stdout : process.stderr).columns : undefined,
  };
}

/** ion's own lines with colours, broken between words if they are wider than the terminal. Pure. */
export function painted(text: string, {colors, width}: Paper): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const style = colors ? styles.find(([begins]) => begins.test(line)) : undefined;
      const [first = '', ...rest] = fitted(line, width);
      return [style ? colored(first, style) : first, ...rest];
    })
    .join('\n');
}

/** Colours only the beginning of the line. */
function colored(line: string, [begins, style]: (typeof styles)[number]): string {
  const head = begins.exec(line)![0];
  // Node 20.0 to 20.11 lack it.
  return typeof util.styleText === 'function'
    ? util.styleText(style, head, {validateStream: false}) + line.slice(head.length)
    : line;
}

/**
 * Breaks a line that is too wide. Lines with ` --> ` and `help: ` are for copying, so the terminal wraps them: a copy
 * then has no line break.
 */
function fitted(line: string, width: number | undefined): string[] {
  if (width === undefined || width < 20 || line.length <= width || /^(?: -->|help:)/.test(line))
    return [line];
  const rows: string[] = [];
  for (const word of line.split(' ')) {
    const last = rows.at(-1);
    if (last === undefined) rows.push(word);
    else if (last.length + 1 + word.length <= width) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(`     ${word}`);
  }
  return rows;
}
