import type {Word} from '../analysis.ts';
import {scanStrictly} from './safe-options.ts';

export const awkOptions = {values: 'F v'};

/** The index of the program: the first operand ends the options. Files and assignments follow it. */
export function programOf(words: readonly Word[]): number {
  let at = 0;
  for (; /^-./.test(words[at]?.text ?? ''); at++) {
    const {text} = words[at]!;
    if (text === '--') return at + 1;
    if (/^-[Fv]$/.test(text)) at++;
  }
  return at;
}

/**
 * awk prints results, but its program can also write files, run commands and read other programs. This check reads the
 * program as every awk does, and refuses it where implementations differ.
 */
export function checkAwk(words: readonly Word[]): string | undefined {
  const at = programOf(words);
  const before = words.slice(0, at);
  if (before.some(({splits, expansions}) => splits || expansions?.includes('glob')))
    return 'awk with a value that may become several words';
  const scan = scanStrictly('awk', before, awkOptions);
  if ('why' in scan) return scan.why;
  const program = words[at];
  if (!program) return undefined;
  if (!program.literal) return 'an awk program that is known only when it runs';
  const why = awkProblem(program.text);
  return why && `an awk program ${why}`;
}

const token =
  /(?<space>[ \t\r]+|#[^\n]*)|(?<name>[A-Za-z_]\w*)|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<string>"(?:[^"\\\n]|\\[^\n])*")|(?<sign>\n|>>|&&|\|\||[-+*/%^=!<>]=|\+\+|--|[-+*/%^=!<>~?:,;(){}[\]$|@])/y;

/** In a bracket expression, some awks take a slash for the end of the regular expression. */
const regex = /\/(?!=)(?:[^/\\[\n]|\\[^\n]|\[\^?\]?(?:[^\]\\/\n]|\\[^\n])*\])*\//y;

const statements = new Set(
  'print printf if else while for do return in exit delete next nextfile BEGIN END'.split(' '),
);

interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'sign' | 'regex';
  readonly text: string;
}

/** Why an awk program may do more than print; undefined when it certainly does not. */
export function awkProblem(program: string): string | undefined {
  const tokens = tokenize(program);
  if (!tokens) return 'that awk may read in more than one way';
  // A print extends to the end of its statement. In parentheses a greater-than sign compares; elsewhere it redirects.
  let printing = false;
  let depth = 0;
  for (const [at, {kind, text}] of tokens.entries()) {
    if (kind === 'name' && /^(?:system|getline|close|fflush|ARGV|ARGC|ENVIRON|PROCINFO)$/.test(text))
      return `with ${text}`;
    if (kind === 'name' && /^printf?$/.test(text)) {
      printing = true;
      depth = 0;
    }
    if (kind !== 'sign') continue;
    if (text === '|') return 'with a pipe';
    if (text === '@') return 'that loads or calls something unknown';
    if (text === '(') depth++;
    else if (text === ')') depth--;
    else if (/^[;}]$/.test(text) || (text === '\n' && isOperand(tokens[at - 1]))) printing = false;
    else if (printing && depth <= 0 && /^>[>=]?$/.test(text) && !toTerminal(tokens, at))
      return 'that writes a file';
  }
  return undefined;
}

/** `print x > "/dev/stderr"` with nothing after it. */
function toTerminal(tokens: readonly Token[], at: number): boolean {
  const [target, next] = [tokens[at + 1], tokens[at + 2]];
  return target?.text === '"/dev/stderr"' && (next === undefined || /^[;}\n]$/.test(next.text));
}

function tokenize(program: string): Token[] | undefined {
  if (program.includes('\\\n')) return undefined;
  const tokens: Token[] = [];
  for (let at = 0; at < program.length;) {
    const before = tokens.at(-1);
    if (program[at] === '/' && !isOperand(before)) {
      // `if (x) /re/` and `length / 2`: where a value may end, some awks read a slash as a division.
      if (before && isUnsure(before)) return undefined;
      regex.lastIndex = at;
      const [text] = regex.exec(program) ?? [];
      if (text === undefined) return undefined;
      tokens.push({kind: 'regex', text});
      at += text.length;
      continue;
    }
    if (program[at] === '/' && before && isUnsure(before)) return undefined;
    token.lastIndex = at;
    const found = token.exec(program);
    if (!found) return undefined;
    at += found[0].length;
    const kind = Object.entries(found.groups!).find(([, text]) => text !== undefined)![0];
    if (kind !== 'space') tokens.push({kind: kind as Token['kind'], text: found[0]});
  }
  return tokens;
}

/** Reports whether a value ends here, so that a slash divides. */
function isOperand(token: Token | undefined): boolean {
  if (!token) return false;
  if (token.kind === 'name') return !statements.has(token.text);
  return token.kind !== 'sign' || /^(?:[)\]]|\+\+|--)$/.test(token.text);
}

/** Reports whether it is unclear that a value ends here. */
const isUnsure = ({kind, text}: Token): boolean =>
  /^(?:\)|\+\+|--|length|\$)$/.test(text) || kind === 'regex';
