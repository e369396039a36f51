import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {gitRows} from '../../../src/shell/read-mode/safe-git.ts';
import {howMany} from '../../harness/extent.ts';
import type {SafeRow} from '../../../src/shell/read-mode/safe-options.ts';
import {jqOptions, sedOptions} from '../../../src/shell/read-mode/sed-and-jq.ts';
import {safeRows} from '../../../src/shell/read-mode/safe-table.ts';

/**
 * Compares the table with the programs themselves. An option that takes a value consumes the next word; after any other
 * option the program complains about that word. An option in the wrong list shifts every word after it: what ion takes for
 * a file is an option to the program, or the reverse.
 *
 * The test runs GNU's programs, where they are installed. An option that this version does not know is not tested.
 */
const bogus = '--ion-bogus';

type Options = Pick<SafeRow, 'flags' | 'values' | 'optional'>;

interface Program {
  readonly argv: readonly string[];
  readonly row: Options;
  /** Words after the options, which git needs before it checks them. */
  readonly behind?: readonly string[];
}

const beforeOptions: Readonly<Record<string, readonly string[]>> = {stash: ['list'], worktree: ['list']};
const behindOptions: Readonly<Record<string, readonly string[]>> = {
  'rev-list': ['HEAD'],
  'diff-tree': ['HEAD'],
  'diff-index': ['HEAD'],
};

const all: readonly Program[] = [
  ...Object.entries(safeRows)
    .filter(([, {builtin}]) => !builtin)
    .map(([name, row]) => ({argv: [name], row})),
  {argv: ['sed'], row: sedOptions},
  {argv: ['jq'], row: jqOptions},
  ...Object.entries(gitRows).map(([name, row]) => ({
    argv: ['git', name, ...(beforeOptions[name] ?? [])],
    row,
    behind: behindOptions[name] ?? [],
  })),
];
/** Tests one in this many programs: each of their options is a process. */
const every = howMany({quick: 16, whole: 1, full: 1});
const programs = all
  .filter(({row}) => row.flags ?? row.values ?? row.optional)
  .filter((_, index) => index % every === 0);

/** xxd and rev-parse accept any word that begins like an option, or print unknown ones: see tables/safe.ts. */
const unasked = new Set(['xxd', 'git rev-parse']);

/** These exit before they read further, or take no value in older versions of the program. */
const saysNothing = new Set(['strings -s', 'uptime -s', 'uptime --since']);

/** rg may refuse any value that begins with a dash. */
const refusesDashes = new Set(['rg']);

const notKnown =
  /invalid option|unrecognized option|unknown option|unknown switch|unrecognized argument|illegal option|wasn't expected/i;
const printsAndEnds = /^(-h|-V|--help|--version|--pcre2-version|--type-list)$/;

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ion-arity-'));
  writeFileSync(path.join(folder, 'f'), 'a\n');
  const identity = ['-c', 'user.name=u', '-c', 'user.email=u@example.org'];
  for (const args of [
    ['init', '-q'],
    ['add', 'f'],
    [...identity, 'commit', '-qm', 'first'],
  ])
    run(['git', ...args]);
  writeFileSync(path.join(folder, 'f'), 'b\n');
  run(['git', ...identity, 'stash', '-q']);
});
after(() => rmSync(folder, {recursive: true, force: true}));

function run(argv: readonly string[]) {
  const {stdout, stderr, status} = spawnSync(argv[0]!, argv.slice(1), {
    cwd: folder,
    input: '',
    encoding: 'utf8',
    timeout: 5000,
    env: {PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_PAGER: 'cat'},
  });
  return {stdout, stderr, status};
}

const dashed = (option: string): string => (option.startsWith('-') ? option : `-${option}`);
const words = (list: string | undefined): string[] => (list ? list.split(' ').map(dashed) : []);

for (const {argv, row, behind = []} of programs) {
  const name = argv.join(' ');
  const [program] = argv;
  const isThere = (process.env['PATH'] ?? '').split(':').some((at) => existsSync(path.join(at, program!)));
  const skip = process.platform !== 'linux' || !isThere || unasked.has(name);
  test(`the options of ${name} take a value exactly where the table says so`, {skip}, () => {
    const complaint = run([...argv, bogus, ...behind]).stderr.split('\n')[0]!;
    assert.notEqual(complaint, '', 'an unknown option gets an error message');
    for (const option of [...words(row.flags), ...words(row.optional)]) {
      if (printsAndEnds.test(option) || saysNothing.has(`${name} ${option}`)) continue;
      const {status, stderr, stdout} = run([...argv, option, bogus, ...behind]);
      if (stderr.includes(complaint) || notKnown.test(stderr)) continue;
      // Some programs check the combination first. Their error does not name the word.
      const swallowed = status === 0 || (stderr + stdout).includes('ion-bogus');
      assert.ok(!swallowed, `${name} ${option} takes a value: ${stderr}`);
    }
    // A message with only the usage does not show which word it is about.
    const names = complaint.includes('ion-bogus') && !refusesDashes.has(name);
    for (const option of names ? words(row.values) : []) {
      const {stderr} = run([...argv, option, bogus, ...behind]);
      const first = stderr.split('\n')[0]!;
      if (notKnown.test(first) && first !== complaint) continue;
      assert.notEqual(first, complaint, `${name} ${option} takes no value`);
    }
    assert.deepEqual(readdirSync(folder).sort(), ['.git', 'f'], 'nothing was written');
  });
}
