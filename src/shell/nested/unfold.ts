import type {Word} from '../analysis.ts';
import {scriptOf, unknown, type Call, type Nested} from './nested-call.ts';
import {rest, scanOptions, type Scan} from '../options.ts';
import {specialWrappers} from './special-wrappers.ts';
import {skipAssignments, withHoles} from './unfold-words.ts';
import {wrapperRows, type WrapperRow} from './wrapper-table.ts';

/** The commands that a segment runs besides its own program. */
export function unfold(call: Call): Nested[] {
  const special = Object.hasOwn(specialWrappers, call.name) ? specialWrappers[call.name] : undefined;
  if (special) return special(call);
  const row = Object.hasOwn(wrapperRows, call.name) ? wrapperRows[call.name] : undefined;
  return row ? unfoldRow(call, row) : [];
}

function unfoldRow(call: Call, row: WrapperRow): Nested[] {
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
  const nested: Nested[] = row.joins
    ? scriptOf(words, name, more)
    : [{kind: 'command', argv: words, wrapper: name, ...more}];
  nested.push(...underName(call, row, scan, words));
  return scan.certain ? [...found, ...nested] : [...found, ...nested, ...otherStarts(call, at)];
}

/** A program's behaviour may depend on the name it is called by: git, called git-push, pushes. */
function underName({name}: Call, {named}: WrapperRow, {options}: Scan, words: Call['argv']): Nested[] {
  return options.flatMap((option): Nested[] =>
    option.value && listed(named, option.name)
      ? [{kind: 'command', argv: [option.value, ...words.slice(1)], wrapper: name, guessed: true}]
      : [],
  );
}

/** An option that the table lacks may take a value, and this value may be the word that looked like the command. */
function otherStarts({argv, name}: Call, at: number): Nested[] {
  const starts: Nested[] = [unknown(`${name} has an option that is not known here`, argv[0]!.span)];
  for (let start = at + 1; start < argv.length && start <= at + 3; start++) {
    starts.push({kind: 'command', argv: argv.slice(start), wrapper: name, guessed: true});
  }
  return starts;
}

function scripts(call: Call, row: WrapperRow, first: Scan): Nested[] {
  if (!row.script) return [];
  const found: Nested[] = [];
  let scan = first;
  for (;;) {
    for (const {name, value} of scan.options) {
      if (!value || !listed(row.script, name)) continue;
      const script = withoutPrefix(value, name, row);
      if (!script) continue;
      const parameters = row.assignments ? call.argv.slice(first.next) : [];
      found.push(...scriptOf([script, ...parameters], `${call.name} ${dashed(name)}`));
    }
    // getopt accepts options after operands too.
    if (!(row.scriptOnly || row.scriptAnywhere) || scan.next >= call.argv.length) return found;
    scan = scanOptions(call.argv, scan.endedByDashes ? scan.next : scan.next + 1, row);
  }
}

/** Some options take settings of many kinds; only some of these are commands. */
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

function unfoldAfter({argv, name}: Call, marks: readonly string[]): Nested[] {
  const at = argv.findIndex((word, index) => index > 0 && marks.includes(word.text));
  let start = at + 1;
  if (at === -1 || start >= argv.length) return [];
  while (start < argv.length - 1 && argv[start]!.text.startsWith('-')) start++;
  return [{kind: 'command', argv: argv.slice(start), wrapper: `${name} ${argv[at]!.text}`}];
}

/** The placeholder for unknown arguments: `{}` in `xargs -I{} …`. */
function placeholder(row: WrapperRow, scan: Scan): string | undefined {
  const option = scan.options.findLast(({name}) => listed(row.placeholder, name));
  return option && (option.value?.text ?? '{}');
}

const maxInput = 10_000;

/** `echo / | xargs rm -rf`: the text on stdin is known. */
function fromInput({name, input}: Call, words: Call['argv'], mark: string | undefined): Nested[] {
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
    .map((argv): Nested => ({kind: 'command', argv, wrapper: name, guessed: true}));
}

const maxLists = 50;
