import type {Word} from '../analysis.ts';
import {scriptOf, unknown, type Call, type Inner} from './nested-call.ts';
import {rest, scanOptions, type Scan} from '../options.ts';
import {specialWrappers} from './special-wrappers.ts';
import {skipAssignments, withHoles} from './unfold-words.ts';
import {wrapperRows, type WrapperRow} from './wrapper-table.ts';

/** What a segment runs beyond its own program. */
export function unfold(call: Call): Inner[] {
  const special = Object.hasOwn(specialWrappers, call.name) ? specialWrappers[call.name] : undefined;
  if (special) return special(call);
  const row = Object.hasOwn(wrapperRows, call.name) ? wrapperRows[call.name] : undefined;
  return row ? unfoldRow(call, row) : [];
}

function unfoldRow(call: Call, row: WrapperRow): Inner[] {
  if (row.after) return unfoldAfter(call, row.after);
  const {argv, name} = call;
  const scan = scanOptions(argv, 1, row);
  const found = scripts(call, row, scan);
  if (row.scriptOnly || (row.assignments && found.length > 0)) return found;
  if (scan.options.some((option) => listed(row.inert, option.name))) return found;
  let at = scan.next;
  if (row.assignments) at = skipAssignments(argv, at);
  at += row.operands ?? 0;
  if (argv[at]?.text === '--' && argv[at]?.literal) at++;
  if (at >= argv.length) return found;
  const words = withHoles(argv.slice(at), placeholder(row, scan));
  const more = {
    ...(row.remote ? {remote: true} : {}),
    ...(row.open ? {open: true} : {}),
    ...(scan.certain ? {} : {guessed: true}),
  };
  const fed = row.open ? fromInput(call, argv.slice(at), placeholder(row, scan)) : [];
  found.push(...fed);
  const inner: Inner[] = row.joins
    ? scriptOf(words, name, more)
    : [{kind: 'command', argv: words, wrapper: name, ...more}];
  inner.push(...underName(call, row, scan, words));
  return scan.certain ? [...found, ...inner] : [...found, ...inner, ...otherStarts(call, at)];
}

/** What a program does may depend on the name that it is called by: git under the name git-push pushes. */
function underName({name}: Call, {named}: WrapperRow, {options}: Scan, words: Call['argv']): Inner[] {
  return options.flatMap((option): Inner[] =>
    option.value && listed(named, option.name)
      ? [{kind: 'command', argv: [option.value, ...words.slice(1)], wrapper: name, guessed: true}]
      : [],
  );
}

/** An option that the table does not know may take the word that looked like the command. */
function otherStarts({argv, name}: Call, at: number): Inner[] {
  const starts: Inner[] = [unknown(`${name} has an option that is not known here`, argv[0]!.span)];
  for (let start = at + 1; start < argv.length && start <= at + 3; start++) {
    starts.push({kind: 'command', argv: argv.slice(start), wrapper: name, guessed: true});
  }
  return starts;
}

function scripts(call: Call, row: WrapperRow, first: Scan): Inner[] {
  if (!row.script) return [];
  const found: Inner[] = [];
  let scan = first;
  for (;;) {
    for (const {name, value} of scan.options) {
      if (!value || !listed(row.script, name)) continue;
      const script = withoutPrefix(value, name, row);
      if (!script) continue;
      const more = row.assignments ? call.argv.slice(first.next) : [];
      found.push(...scriptOf([script, ...more], `${call.name} ${dashed(name)}`));
    }
    // getopt reads options behind operands too.
    if (!(row.scriptOnly || row.scriptAnywhere) || scan.next >= call.argv.length) return found;
    scan = scanOptions(call.argv, scan.endedByDashes ? scan.next : scan.next + 1, row);
  }
}

/** Of options that take all kinds of settings, those that are commands. */
function withoutPrefix(value: Word, name: string, {scriptPrefix}: WrapperRow): Word | undefined {
  const action = /^exec=/.exec(value.text);
  if (name === '--checkpoint-action') return action ? rest(value, action[0].length) : undefined;
  if (!scriptPrefix || name !== 'o') return value;
  const prefix = scriptPrefix.exec(value.text);
  return prefix ? rest(value, prefix[0].length) : undefined;
}

const dashed = (name: string): string => (name.startsWith('-') ? name : `-${name}`);

function listed(names: string | undefined, name: string): boolean {
  return names !== undefined && names.split(' ').includes(name);
}

function unfoldAfter({argv, name}: Call, marks: readonly string[]): Inner[] {
  const at = argv.findIndex((word, index) => index > 0 && marks.includes(word.text));
  let start = at + 1;
  if (at === -1 || start >= argv.length) return [];
  while (start < argv.length - 1 && argv[start]!.text.startsWith('-')) start++;
  return [{kind: 'command', argv: argv.slice(start), wrapper: `${name} ${argv[at]!.text}`}];
}

/** The text that stands for arguments which are not known: `{}` in `xargs -I{} …`. */
function placeholder(row: WrapperRow, scan: Scan): string | undefined {
  const option = scan.options.findLast(({name}) => listed(row.placeholder, name));
  return option && (option.value?.text ?? '{}');
}

const maxInput = 10_000;

/** `echo / | xargs rm -rf`: what arrives on stdin is plain to see. */
function fromInput({name, input}: Call, words: Call['argv'], mark: string | undefined): Inner[] {
  if (!input || input.text.length > maxInput) return [];
  const given = input.text.split(mark ? '\n' : /\s+/).filter((text) => text !== '');
  const asWord = (text: string): Call['argv'][number] => ({
    text,
    raw: text,
    literal: true,
    span: input.whole,
  });
  const lists = mark
    ? given.map((text) => words.map((word) => ({...word, text: word.text.replaceAll(mark, () => text)})))
    : [[...words, ...given.map(asWord)]];
  return lists
    .slice(0, maxLists)
    .map((argv): Inner => ({kind: 'command', argv, wrapper: name, guessed: true}));
}

const maxLists = 50;
