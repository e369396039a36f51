import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {isFull} from '../../harness/extent.ts';
import {findProgram} from '../../harness/must-run.ts';
import {gitRows} from '../../../src/shell/read-mode/safe-git.ts';
import {awkOptions} from '../../../src/shell/read-mode/safe-awk.ts';
import type {Word} from '../../../src/shell/analysis.ts';
import {scanStrictly, type SafeRow} from '../../../src/shell/read-mode/safe-options.ts';
import {jqOptions, sedOptions} from '../../../src/shell/read-mode/sed-and-jq.ts';
import {safeRows} from '../../../src/shell/read-mode/safe-table.ts';
import {documentedOptions, type Documented} from './documented-options.ts';

/**
 * Compares the table with the documentation of the installed programs: --help, and the man page if there is one. A
 * container image may have none, and reading one takes a second, so man pages are read only with ION_TEST_FULL=1.
 *
 * An option takes a value in the table exactly if it does in the documentation. A documented option that is not in the
 * table is refused. An option in the table must be documented here, or for another version that is named.
 */

type Options = Omit<SafeRow, 'check' | 'refusesOperand'>;

const rows: readonly (readonly [name: string, row: Options])[] = [
  ...Object.entries(safeRows).filter(([, {builtin}]) => !builtin),
  ['sed', sedOptions],
  ['jq', jqOptions],
  ['mawk', awkOptions],
  ...Object.entries(gitRows).map(([name, row]) => [`git ${name}`, row] as const),
];

/** Options whose documentation reads differently than it means. */
const explained: readonly (readonly [options: readonly string[], why: string])[] = [
  [
    ['diff', 'diff-files', 'diff-index', 'diff-tree', 'log', 'show'].flatMap((name) => [
      `git ${name} -U`,
      `git ${name} --unified`,
    ]),
    'a number: the table takes it in the same word alone, and looks at the next one too',
  ],
  [
    ['git log --format', 'git show --format', 'git rev-list --format', 'git rev-list --abbrev'],
    'only behind "="',
  ],
  [
    ['disambiguate', 'path-format', 'since', 'until'].map((name) => `git rev-parse --${name}`),
    'only behind "="',
  ],
  [['git diff -2', 'git diff -3', 'git diff-files -2', 'git diff-files -3'], 'stages, not numbers of lines'],
  [['git reflog -n'], 'that of git reflog expire; here it is that of git log'],
  [['git stash -S'], 'that of git stash push; here it is that of git log'],
  [['gunzip -d', 'gunzip --decompress'], 'three names without commas'],
  [
    ['file -P', 'file --parameter', 'shasum -a', 'shasum --algorithm'],
    'what it takes is named in the text behind it',
  ],
  [
    ['diff', 'diff-files', 'diff-index', 'diff-tree'].map((name) => `git ${name} --abbrev`),
    'only behind "="',
  ],
  [['strings -w', 'strings --include-all-whitespace'], 'the words behind it are what it does'],
  [['lsof -s'], 'what it takes is optional, and only chooses what is printed'],
  [['ls -p', 'sort -C'], 'short for a long option with its value'],
];

/** Options in the table for other versions and systems. */
const elsewhere: readonly (readonly [options: string, where: string])[] = [
  ['stat -F -l -n -q -r -s -x; tail -r; comm -i; base64 -D -b; which -s', 'BSD and macOS'],
  ['od -D -F -h -H -I -L -O -X -B -e', 'BSD and macOS'],
  ['which --all', 'GNU which'],
  ['grep -y; egrep -y; fgrep -y', "grep's manual: an old name of -i"],
  ['diff -P -H', "diffutils' manual: --unidirectional-new-file, --speed-large-files"],
  [
    'diff --old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format --changed-group-format --unchanged-group-format',
    'diff(1): --LTYPE-line-format, --GTYPE-group-format',
  ],
  ['wc --total', 'coreutils 9.2'],
  ['rev -0 --zero', 'util-linux 2.40'],
  ['hexdump -X; whereis -g', 'util-linux 2.39'],
  ['xxd -R', 'vim 9.1'],
  ['jq --raw-output0 --help', 'jq 1.7'],
  ['git status -unormal -uall', 'git-status(1): -u<mode>'],
  ['git log --count --timestamp --header', 'git-rev-list(1)'],
  ['git log --default-prefix; git diff --default-prefix', 'git 2.41'],
  [
    'git diff-tree --default-prefix; git diff-index --default-prefix; git diff-files --default-prefix',
    'git 2.41',
  ],
  ['git log --dd', 'git 2.43'],
  ['git check-attr --source', 'git 2.40'],
  ['git cat-file -Z', 'git 2.42'],
  ['git for-each-ref --omit-empty --stdin --include-root-refs --exclude', 'git 2.41, 2.42, 2.45'],
  ['git show-ref --branches --exists', 'git 2.43, 2.46'],
];

const namedElsewhere = new Set(
  elsewhere.flatMap(([list]) =>
    list.split('; ').flatMap((entry) => {
      const [, name, options] = /^(.*?) (-.*)$/.exec(entry)!;
      return options!.split(' ').map((option) => `${name} ${option}`);
    }),
  ),
);

/** These read the options of git log with the same parser, and the page of git log documents them. */
const asLog = new Set(['git show', 'git rev-list', 'git reflog', 'git stash']);

function isElsewhere(name: string, option: string): boolean {
  const {flags, values, optional} = gitRows['log']!;
  if (asLog.has(name) && [flags, values, optional].some((list) => words(list).includes(option))) return true;
  return namedElsewhere.has(`${name} ${option}`);
}

const hasMan = isFull && findProgram('man') !== undefined && pageOf('ls') !== '';

function textOf(name: string, ...args: string[]): string {
  const {stdout, stderr} = spawnSync(name, args, {
    encoding: 'utf8',
    input: '',
    timeout: 20_000,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      LC_ALL: 'C',
      MANWIDTH: '500',
      MANPAGER: 'cat',
      PAGER: 'cat',
    },
  });
  return `${stdout}\n${stderr}`;
}

function pageOf(name: string): string {
  const text = textOf('man', name.replace(' ', '-'));
  return /No manual entry|has been minimized|not found/.test(text) ? '' : text;
}

const dashed = (option: string): string => (option.startsWith('-') ? option : `-${option}`);
const words = (list: string | undefined): string[] => (list ? list.split(' ').map(dashed) : []);

for (const [name, row] of rows) {
  const program = name.split(' ')[0]!;
  const isAsked = row.flags !== undefined || row.values !== undefined;
  const skip = !isAsked || process.platform !== 'linux' || findProgram(program) === undefined;
  test(`the options of ${name} agree with its documentation`, {skip}, (t) => {
    const help = name.startsWith('git ') ? textOf('git', name.slice(4), '-h') : textOf(program, '--help');
    const page = hasMan ? pageOf(name) : '';
    if (isFull && page === '') t.diagnostic('no man page here: --help only');
    const documented = documentedOptions(`${help}\n${page}`);
    const wrong = [
      ...[...words(row.flags), ...words(row.optional)].filter((option) => says(documented, option, 'value')),
      ...words(row.values).filter((option) => says(documented, option, 'none')),
    ];
    const known = explained.flatMap(([options]) => options);
    const inTable = new Set([...words(row.flags), ...words(row.optional), ...words(row.values)]);
    const others = [...documented.keys()].filter((option) => !inTable.has(option) && !numbered(option));
    const judged = others.filter((option) => isLetThrough(name, row, option));
    assert.deepEqual(judged, [], 'documented, not in the table, and let through');
    assert.ok(!isLetThrough(name, row, '--ion-bogus'), 'an unknown option is allowed');
    const valued = others.filter((option) => !says(documented, option, 'none'));
    if (isFull && valued.length > 0) t.diagnostic(`refused, with a value: ${valued.join(' ')}`);
    const text = `${help}\n${page}`;
    const unheard = isWhole(name, page, documented)
      ? [...inTable].filter((option) => !mentions(text, option))
      : [];
    if (isFull)
      assert.deepEqual(
        unheard.filter((option) => !isElsewhere(name, option)),
        [],
        'in the table, documented nowhere here, and no other version is named',
      );
    assert.deepEqual(
      wrong.map((option) => `${name} ${option}`).filter((option) => !known.includes(option)),
      [],
    );
  });
}

/** `-5` is a number for programs that take one. */
const numbered = (option: string): boolean => /^-\d/.test(option);

/** The option alone, and with a value in each form. */
function isLetThrough(name: string, row: Options, option: string): boolean {
  const ways = option.startsWith('--')
    ? [[option], [option, 'x'], [`${option}=x`], ...shortened(option)]
    : [[option], [option, 'x'], [`${option}x`]];
  return ways.some(
    (way) => !('why' in scanStrictly(name, way.map(plain), row)) && !isKnownWord(way[0]!, row),
  );
}

/** Not shortened to `--` itself. */
const shortened = (option: string): string[][] => (option.length > 4 ? [[option.slice(0, -1)]] : []);

/** An abbreviation may be an option of its own. */
const isKnownWord = (text: string, row: Options): boolean =>
  [row.flags, row.optional, row.values].some((list) => words(list).includes(text.replace(/=.*/, '')));

const plain = (text: string): Word => ({text, raw: text, literal: true, span: {start: 0, end: 0}});

/** git's own `-h` lists few options, and BSD's programs none. Then only the man page is complete. */
const isWhole = (name: string, page: string, documented: Documented): boolean =>
  page !== '' || (!name.startsWith('git ') && documented.size > 3);

/** Anywhere in the text, in a cluster of letters, or as the other half of `--[no-]color`. */
function mentions(text: string, option: string): boolean {
  const escaped = option.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text)) return true;
  if (option.startsWith('--')) {
    const bare = option.replace(/^--(?:no-)?/, '');
    return text.includes(`--[no-]${bare}`) || (option.startsWith('--no-') && text.includes(`--${bare}`));
  }
  return new RegExp(`\\[-[\\w]*${escaped.slice(1)}|(?<![\\w-])${escaped}[<[A-Z=]`).test(text);
}

/** Reports whether the text documents the option only in this way. */
function says(documented: Documented, option: string, kind: 'value' | 'none'): boolean {
  const kinds = documented.get(option);
  return kinds !== undefined && kinds.size === 1 && kinds.has(kind);
}
