import type {Segment, Word} from '../analysis.ts';
import {scanOptions, type OptionSpec} from '../options.ts';
import {mayBePassed} from './safe-variables.ts';

/** A program that only starts the command after its own words, if it gets no other options than these. */
interface SafeWrapper extends OptionSpec {
  /** The number of its own operands before the command: `timeout 5`. */
  readonly operands?: number;
  /** `NAME=value` words may precede the command. */
  readonly assignments?: boolean;
}

const rows: Readonly<Record<string, SafeWrapper>> = {
  command: {},
  builtin: {},
  env: {assignments: true},
  nice: {flags: '0 1 2 3 4 5 6 7 8 9', values: 'n --adjustment'},
  ionice: {flags: 't --ignore', values: 'c n --class --classdata'},
  timeout: {
    flags: 'v --foreground --preserve-status --verbose',
    values: 'k s --kill-after --signal',
    operands: 1,
  },
  xargs: {
    flags: '0 r t x --null --no-run-if-empty --verbose --exit',
    values: 'a d E I L n P s --arg-file --delimiter --max-args --max-procs --max-chars',
  },
};

/** The names of the wrappers, with their real files. */
export const wrapperFiles: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(rows).map((name) => [name, []])),
  bash: [],
  sh: ['dash', 'bash'],
};

export const isWrapper = (name: string): boolean => Object.hasOwn(wrapperFiles, name);

/**
 * Why a wrapper is not safe as it is called; undefined when it only starts commands that are checked themselves. `nested`
 * are the segments that the analysis found in it. If it found none, nothing was checked.
 */
export function checkWrapper(
  name: string,
  {argv: [, ...args], open}: Segment,
  nested: readonly Segment[],
): string | undefined {
  if (name === 'bash' || name === 'sh') return checkShell(name, args);
  const row = rows[name]!;
  const words = [{text: name, raw: name, literal: true, span: {start: 0, end: 0}}, ...args];
  const scan = scanOptions(words, 1, row);
  const odd = words.slice(1, scan.next).find(({literal, text}) => !literal || isShortened(text, row));
  if (odd || !scan.certain) return `${name} with options that are not known to be safe`;
  let at = scan.next;
  if (row.assignments) {
    for (; /^[^=]+=/.test(words[at]?.text ?? ''); at++) {
      const {text, literal} = words[at]!;
      if (!literal || !mayBePassed(text))
        return `it sets ${JSON.stringify(text.replace(/=.*/s, ''))} for a program`;
    }
  }
  const own = words.slice(at, at + (row.operands ?? 0));
  if (own.some(({literal}) => !literal)) return `${name} with a word that is known only when it runs`;
  at += own.length;
  if (words[at]?.text === '--') at++;
  const command = words[at];
  if (!command) return open ? `${name} runs what is known only when it runs` : undefined;
  const judged = nested.some(
    ({argv: [first]}) => first?.span.start === command.span.start && first.text === command.text,
  );
  return judged ? undefined : `what ${name} runs is not known`;
}

/** getopt takes `--pres` for `--preserve-status`. Only the full name means the same in every version. */
function isShortened(text: string, {flags = '', values = ''}: SafeWrapper): boolean {
  const [name] = text.split('=');
  return text.startsWith('--') && text !== '--' && !`${flags} ${values}`.split(' ').includes(name!);
}

/** Syntax that only bash reads this way: for dash, `[[` is a program. */
const onlyBash =
  /\[\[|\(\(|\$['"[]|[<>]\(|<<<|&>|>&[^\d-]|\|&|;&|[+]=|=\(|\$\{[^}]*[/^,@!:]|\{[^}]*[,.][^}]*\}|\b(?:function|select|time|coproc)\b/;

function checkShell(name: string, [option, script]: readonly Word[]): string | undefined {
  if (option?.text !== '-c' || !option.literal || !script?.literal)
    return `${name} runs a script: ion checks it only as ${name} -c '...', with nothing else before it`;
  if (name === 'sh' && onlyBash.test(script.text))
    return 'sh may read this differently than bash: use bash -c';
  return undefined;
}

/**
 * Reports whether the shell itself runs the segment. Otherwise the name of a builtin is looked up on PATH like any other.
 */
export function runsInShell({wrappers}: Segment): boolean {
  const last = wrappers.at(-1);
  return last === undefined || /^(?:command|builtin|(?:bash|sh) -c)$/.test(last);
}
