import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {isFull} from '../../harness/full.ts';
import {findProgram} from '../../harness/must-run.ts';
import {gitRows} from '../../../src/shell/read-mode/safe-git.ts';
import {awkOptions} from '../../../src/shell/read-mode/safe-awk.ts';
import type {SafeRow} from '../../../src/shell/read-mode/safe-options.ts';
import {jqOptions, sedOptions} from '../../../src/shell/read-mode/safe-scripts.ts';
import {safeRows} from '../../../src/shell/read-mode/safe-table.ts';
import {documentedOptions, type Documented} from './documented-options.ts';

/**
 * The table against what the installed programs say of themselves: in --help, and in the man page where there is one (a
 * container image may have none; they take a second each, so that they are read with ION_TEST_FULL=1 only). An option that takes a value there takes one in the table, and the other way around.
 */

type Options = Pick<SafeRow, 'flags' | 'values' | 'optional'>;

const rows: readonly (readonly [name: string, row: Options])[] = [
  ...Object.entries(safeRows).filter(([, {builtin}]) => !builtin),
  ['sed', sedOptions],
  ['jq', jqOptions],
  ['mawk', awkOptions],
  ...Object.entries(gitRows).map(([name, row]) => [`git ${name}`, row] as const),
];

/** Where the text reads as if it said something else. */
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
  test(`the options of ${name} are as its documentation has them`, {skip}, (t) => {
    const help = name.startsWith('git ') ? textOf('git', name.slice(4), '-h') : textOf(program, '--help');
    const page = hasMan ? pageOf(name) : '';
    if (isFull && page === '') t.diagnostic('no man page here: --help only');
    const documented = documentedOptions(`${help}\n${page}`);
    const wrong = [
      ...[...words(row.flags), ...words(row.optional)].filter((option) => says(documented, option, 'value')),
      ...words(row.values).filter((option) => says(documented, option, 'none')),
    ];
    const known = explained.flatMap(([options]) => options);
    assert.deepEqual(
      wrong.map((option) => `${name} ${option}`).filter((option) => !known.includes(option)),
      [],
    );
  });
}

/** Is this all that the text says about the option? */
function says(documented: Documented, option: string, kind: 'value' | 'none'): boolean {
  const kinds = documented.get(option);
  return kinds !== undefined && kinds.size === 1 && kinds.has(kind);
}
