import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {complete} from '../../../src/prompt/completion/complete.ts';
import {listing} from '../../../src/prompt/completion/listing.ts';
import {wordAt} from '../../../src/prompt/completion/word-at.ts';
import {lineKind} from '../../../src/prompt/line-kind.ts';
import {effectiveText} from '../../../src/prompt/shell/effective-text.ts';
import {expandAliases} from '../../../src/prompt/shell/expand-aliases.ts';
import {isOpen} from '../../../src/prompt/shell/grammar.ts';
import {emptyMemory} from '../../../src/prompt/shell/shell-memory.ts';

const open = [
  'echo "a',
  "echo 'a",
  'echo $(a',
  'echo `a',
  'echo ${x',
  'echo $((1+',
  'if true',
  'if true; then',
  'if true; then a',
  'for i in 1 2',
  'for i in 1 2; do a',
  'while a; do',
  'case x in',
  'f() {',
  'f()',
  '{ a',
  '(',
  '( a',
  '[[ a',
  'x=(1 2',
  'a |',
  'a &&',
  'a ||\n',
  'a \\',
  'cat <<E',
  'cat <<E\nabc',
  'a; cat <<-E | b',
];
const complete_ = [
  '',
  'a',
  'echo "a"',
  'a \\\\',
  'cat <<E\nx\nE',
  'fi',
  'a; }',
  ')',
  'f() { a; }',
  'echo a # "',
  '! ',
  'if true; then a; fi',
];

for (const text of open) test(`open: ${JSON.stringify(text)}`, () => assert.equal(isOpen(text), true));
for (const text of complete_)
  test(`not open: ${JSON.stringify(text)}`, () => assert.equal(isOpen(text), false));

const aliases = new Map([
  ['ll', 'ls -l'],
  ['ls', 'ls --color'],
  ['g', 'git'],
  ['loop', 'loop x'],
]);
const expansions: readonly (readonly [text: string, want: string])[] = [
  ['ll', 'ls --color -l'],
  ['g x | ll', 'git x | ls --color -l'],
  ['echo ll', 'echo ll'],
  ["'ll'; \\ll", "'ll'; \\ll"],
  ['X=1 g y', 'X=1 git y'],
  ['echo "$(g z)"', 'echo "$(git z)"'],
  ['if g; then g; fi', 'if git; then git; fi'],
  ['loop', 'loop x'],
  ['g "', 'g "'],
];
for (const [text, want] of expansions)
  test(`aliases in ${text}`, () => assert.equal(expandAliases(text, aliases), want));

const functions = [
  {name: 'push', text: 'push () \n{ \n    git push\n}', exported: false},
  {name: 'outer', text: 'outer () \n{ \n    push\n}', exported: false},
];
const decided: readonly (readonly [text: string, names: readonly string[]])[] = [
  ['ls', []],
  ['push', ['push']],
  ['outer', ['push', 'outer']],
  ['ls; time outer x', ['push', 'outer']],
  ['echo "$(push)"', ['push']],
];
for (const [text, names] of decided)
  test(`ion decides on the functions that ${text} names`, () => {
    const want = [...functions.filter(({name}) => names.includes(name)).map((one) => one.text), text].join(
      '\n',
    );
    assert.equal(effectiveText(text, {...emptyMemory, functions}), want);
  });

const kinds: readonly (readonly [line: string, name: string | undefined])[] = [
  ['', 'nothing'],
  ['/help', '/help'],
  [' /why 0a1b-1', '/why'],
  ['/bin/ls', 'command'],
  ['/helpers', 'command'],
  ['fg %1', 'fg'],
  ['exit 3', 'exit'],
  ['exit; ls', 'command'],
  ['fg && ls', 'fg is misplaced'],
  ['exit $x', 'command'],
  ['jobs\nls', 'jobs is misplaced'],
  ['jobs; kill %2', 'jobs kill'],
  ['jobs;', 'jobs'],
  [';', 'command'],
  ['jobs;ls', 'jobs is misplaced'],
  ['ls; kill %2', 'kill %2 is misplaced'],
  ['ls | fg2', 'command'],
  ['kill 12', 'command'],
];
for (const [line, want] of kinds)
  test(`line: ${JSON.stringify(line)}`, () => {
    const kind = lineKind(line);
    const shown = {
      nothing: () => 'nothing',
      own: () => (kind.kind === 'own' ? kind.commands.map(({name}) => name).join(' ') : ''),
      command: () =>
        kind.kind === 'command' && kind.misplaced !== undefined
          ? `${kind.misplaced} is misplaced`
          : 'command',
    };
    assert.equal(shown[kind.kind](), want);
  });

const words: readonly (readonly [
  before: string,
  raw: string,
  value: string | undefined,
  isCommand: boolean,
])[] = [
  ['', '', '', true],
  ['gi', 'gi', 'gi', true],
  ['git sta', 'sta', 'sta', false],
  ['a; gi', 'gi', 'gi', true],
  ['a | gi', 'gi', 'gi', true],
  ['echo $(gi', 'gi', 'gi', true],
  ['cat "a b', '"a b', 'a b', false],
  ["cat 'a b", "'a b", 'a b', false],
  ['cat a\\ b', 'a\\ b', 'a b', false],
  ['cat > fi', 'fi', 'fi', false],
  ['cat $HOME/x', '$HOME/x', undefined, false],
  ['if tr', 'tr', 'tr', true],
  ['cat ', '', '', false],
];
for (const [text, raw, value, isCommand] of words)
  test(`word before the cursor: ${JSON.stringify(text)}`, () => {
    const found = wordAt(text, text.length);
    assert.deepEqual([found.raw, found.value, found.isCommand], [raw, value, isCommand]);
  });

const folder = mkdtempSync(path.join(tmpdir(), 'complete-'));
after(() => rmSync(folder, {recursive: true}));
mkdirSync(`${folder}/bin`);
mkdirSync(`${folder}/sub dir`);
mkdirSync(`${folder}/home`);
for (const name of ['one file', 'one.txt', 'two$x', 'e\u001b[31mx', 'home/notes'])
  writeFileSync(`${folder}/${name}`, '');
writeFileSync(`${folder}/bin/my-program`, '', {mode: 0o755});
const place = {
  cwd: folder,
  home: `${folder}/home`,
  searchPath: `${folder}/bin`,
  names: ['my-alias'],
  patienceMs: 60_000,
};

const completions: readonly (readonly [text: string, want: string, listed?: readonly string[]])[] = [
  ['cat one', 'cat one', ['one file', 'one.txt']],
  ['cat one\\ ', 'cat one\\ file '],
  ['cat "one ', 'cat "one file" '],
  ["cat 'one ", "cat 'one file' "],
  ['cat tw', 'cat two\\$x '],
  ['cat "tw', 'cat "two\\$x" '],
  ['cat su', 'cat sub\\ dir/'],
  ['cat ~/no', 'cat ~/notes '],
  ['cat e', "cat $'e\\U0000001b[31mx' "],
  ['my-', 'my-', ['my-alias', 'my-program']],
  ['my-p', 'my-program '],
  ['x | my-p', 'x | my-program '],
  ['/perm', '/permissions '],
  ['cat $x', 'cat $x'],
  ['cat nothing', 'cat nothing'],
  ['cat "x" nothing', 'cat "x" nothing'],
];
for (const [text, want, listed = []] of completions)
  test(`complete: ${text}`, async () => {
    const done = await complete(text, text.length, place, ['/help', '/permissions']);
    assert.deepEqual([done.text, done.candidates.map(({value}) => value)], [want, listed]);
    assert.equal(done.cursor, done.text.length);
  });

test('a listing shows no control character, and fits', () => {
  const candidates = Array.from({length: 100}, (_, n) => ({
    value: `dir/e\u001b]0;x\u0007${n}`,
    isFolder: n === 0,
  }));
  for (const columns of [5, 40, 120]) {
    const rows = listing(candidates, {rows: 10, columns});
    assert.ok(rows.length <= 7);
    for (const [span] of rows) {
      assert.doesNotMatch(span!.text, /\p{Cc}/u);
      assert.ok(span!.text.length < columns);
    }
  }
});
