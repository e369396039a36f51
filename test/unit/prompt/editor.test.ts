import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  decodeKeys,
  flushKeys,
  noPending,
  type Decoding,
  type Key,
} from '../../../src/prompt/line/decode-keys.ts';
import {draw} from '../../../src/prompt/line/draw.ts';
import {edit, newEditor, type Editor} from '../../../src/prompt/line/editor.ts';
import {erase, nothingDrawn, redraw} from '../../../src/prompt/line/screen.ts';
import {statusLine, type Status} from '../../../src/prompt/line/status-line.ts';
import {runsOf} from '../../harness/extent.ts';
import {fc} from '../../harness/property.ts';

function names(...chunks: readonly string[]): string[] {
  let rest: Decoding = noPending;
  const keys: Key[] = [];
  for (const chunk of chunks) {
    const decoded = decodeKeys(rest, chunk);
    keys.push(...decoded.keys);
    rest = decoded.rest;
  }
  keys.push(...flushKeys(rest).keys);
  return keys.map((key) =>
    key.kind === 'key' ? `<${key.name}>` : key.kind === 'paste' ? `paste:${key.text}` : key.text,
  );
}

const decoded: readonly (readonly [name: string, chunks: readonly string[], want: readonly string[]])[] = [
  ['text is one insertion', ['abc'], ['abc']],
  ['text and keys', ['a\rb\u0003'], ['a', '<enter>', 'b', '<ctrl-c>']],
  ['arrows in both modes', ['\u001b[A\u001bOB\u001b[C\u001bOD'], ['<up>', '<down>', '<right>', '<left>']],
  ['shift-tab', ['\u001b[Z'], ['<shift-tab>']],
  ['with modifiers', ['\u001b[1;5C\u001b[1;3D\u001b[1;2A'], ['<word-right>', '<word-left>', '<up>']],
  ['a sequence in pieces', ['\u001b', '[', '1;5', 'D'], ['<word-left>']],
  ['escape alone', ['\u001b'], ['<escape>']],
  ['alt', ['\u001bb\u001bf\u001b\r'], ['<word-left>', '<word-right>', '<newline>']],
  ['an unknown sequence', ['\u001b[?1;2cx\u001b[12;40Ry'], ['xy']],
  ['a title that the terminal reports', ['\u001b]lrm -rf x\r\u001b\\a'], ['a']],
  ['a colour that it reports, in pieces', ['\u001b]11;rgb:', 'ffff/0000\u0007b'], ['b']],
  ['a string of another kind', ['\u001bP1$r0m\u001b\\c\u001b_x\r\u001b\\d'], ['cd']],
  ['a paste', ['\u001b[200~a\r\nb\tc\u001b[201~'], ['paste:a\nb    c']],
  ['a paste in pieces', ['\u001b[200~a\n', 'b\u001b[2', '01~\r'], ['paste:a\nb', '<enter>']],
  ['a paste with escape sequences', ['\u001b[200~a\u001b[31m\u0003\u009b\u001b[201~'], ['paste:a[31m']],
  ['a paste with an end in it', ['\u001b[200~a\u001b[201~\rb\r', 'c\u001b[201~'], ['paste:a\nb\nc']],
  [
    'a paste with an end and a begin in it',
    ['\u001b[200~a\u001b[201~\rb\r\u001b[200~c\u001b[201~d'],
    ['paste:a\nb\nc', 'd'],
  ],
  [
    'a paste that is too long is typed nowhere',
    ['\u001b[200~', ...Array<string>(270).fill(`${'x'.repeat(4094)}\r`), '\rb\u001b[2', '01~c'],
    [`paste:${`${'x'.repeat(4094)}\n`.repeat(257).slice(0, 1024 * 1024 - 6)}`, 'c'],
  ],
  ['a mouse', ['\u001b[M !!\u001b[<0;1;2Mx'], ['x']],
  ['controls of eight bits', ['a\u009b31m'], ['a31m']],
  ['a grapheme', ['e\u0301'], ['e\u0301']],
];

for (const [name, chunks, want] of decoded)
  test(`keys: ${name}`, () => assert.deepEqual(names(...chunks), want));

const history = ['git status', 'npm test', 'git log'];
const isOpen = (text: string): boolean => text.endsWith('\\') || (text.split('"').length - 1) % 2 === 1;

/** Types keys: `<name>` for a key, everything else as text. */
function typed(keys: string, from: Editor = newEditor): {editor: Editor; effects: string[]} {
  let editor = from;
  const effects: string[] = [];
  for (const [part] of keys.matchAll(/<[a-z_-]+>|[^<]+/g)) {
    const key: Key = part.startsWith('<')
      ? {kind: 'key', name: part.slice(1, -1)}
      : {kind: 'text', text: part};
    const done = edit(editor, key, {history, isOpen});
    editor = done.editor;
    if (done.effect) effects.push(done.effect);
  }
  return {editor, effects};
}

/** The line with `|` for the cursor. */
const shown = ({text, cursor}: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const edits: readonly (readonly [keys: string, want: string, effects?: readonly string[]])[] = [
  ['abc<left><left>x', 'ax|bc'],
  ['abc<home>x<end>y', 'xabcy|'],
  ['ab<ctrl-a><ctrl-d>', '|b'],
  ['<ctrl-d>', '|', ['end']],
  ['<backspace>', '|', ['bell']],
  ['one two<ctrl-w>', 'one |'],
  ['one two<ctrl-w><ctrl-y><ctrl-y>', 'one twotwo|'],
  ['one two<ctrl-a><kill-word><ctrl-k>', '|'],
  ['one two<word-left><ctrl-k>', 'one |'],
  ['one two<ctrl-u>x', 'x|'],
  ['ab<ctrl-t>', 'ba|'],
  ['a<ctrl-t>', 'a|', ['bell']],
  ['abc<ctrl-u><ctrl-_>', 'abc|'],
  ['e\u0301x<left><left>', '|e\u0301x'],
  ['e\u0301x<left><backspace>', '|x'],
  ['👩‍👩‍👧<left>', '|👩‍👩‍👧'],
  ['ls<enter>', 'ls|', ['submit']],
  ['echo "a<enter>b"<enter>', 'echo "a\nb"|', ['submit']],
  ['a<newline>b<up>x', 'ax|\nb'],
  ['abc<newline>d<up><down>', 'abc\nd|'],
  ['<up>', 'git log|'],
  ['<up><up><up><up>', 'git status|', ['bell']],
  ['draft<up><down>', 'draft|'],
  ['<first>', 'git status|'],
  ['ls<ctrl-c>', 'ls|', ['cancel']],
  ['<ctrl-r>git', '|'],
  ['<ctrl-r>git<escape>', '|git log'],
  ['<ctrl-r>git<ctrl-r><enter>', 'git status|', ['submit']],
  ['<ctrl-r>git<ctrl-r><ctrl-r><escape>', '|git status'],
  ['<ctrl-r>t<backspace>npm<end>', 'npm test|'],
  ['x<ctrl-r>nothing<enter>', 'x|', ['submit']],
  ['x<ctrl-r>git<ctrl-c>', 'x|'],
  ['<tab><shift-tab><ctrl-l>', '|', ['complete', 'next-mode', 'clear']],
];

for (const [keys, want, effects = []] of edits)
  test(`edit: ${keys}`, () => {
    const done = typed(keys);
    assert.deepEqual([shown(done.editor), done.effects], [want, effects]);
  });

test('any bytes leave a line that can be shown', () => {
  const piece = fc.oneof(
    fc.string({unit: 'binary', maxLength: 6}),
    fc.constantFrom(
      '\u001b[A',
      '\u001b[Z',
      '\u0012',
      '\r',
      '\u001b[200~',
      '\u001b[201~',
      '\u001b',
      '\u007f',
      'e\u0301',
      '漢',
      '\u202e',
      '\u001b]0;',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(piece, {maxLength: 40}),
      fc.integer({min: 1, max: 120}),
      fc.integer({min: 1, max: 50}),
      (chunks, columns, rows) => {
        let [editor, rest, drawn] = [newEditor, noPending, nothingDrawn];
        for (const chunk of chunks) {
          const next = decodeKeys(rest, chunk);
          rest = next.rest;
          for (const key of next.keys) {
            editor = edit(editor, key, {history, isOpen}).editor;
            assert.ok(editor.cursor >= 0 && editor.cursor <= editor.text.length);
            assert.doesNotMatch(editor.text, /(?!\n)\p{Cc}/u);
          }
          const frame = draw(
            {prompt: '$ ', continued: '> ', text: editor.text, cursor: editor.cursor, below: [[{text: 's'}]]},
            {rows, columns},
          );
          assert.ok(frame.rows.length <= Math.max(1, rows), `${frame.rows.length} rows of ${rows}`);
          assert.ok(frame.cursor.row >= 0 && frame.cursor.row < frame.rows.length);
          const shownText = frame.rows
            .flat()
            .map(({text}) => text)
            .join('');
          assert.doesNotMatch(shownText, /[\p{Cc}\p{Cf}]/u);
          const out = redraw(drawn, frame, {columns, colors: false});
          drawn = out.drawn;
          if (columns > 4)
            assert.ok(
              drawn.widths.every((width) => width < columns),
              drawn.widths.join(),
            );
        }
      },
    ),
    {numRuns: runsOf(1000)},
  );
});

test('after a change of width the rows above the cursor are counted as the terminal has broken them', () => {
  const drawn = {widths: [79, 79, 10], cursor: {row: 2, column: 10}};
  assert.equal(erase(drawn, 80), '\u001b[2A\r\u001b[J');
  assert.equal(erase(drawn, 40), '\u001b[4A\r\u001b[J');
  assert.equal(erase(drawn, 8), '\u001b[21A\r\u001b[J');
});

const status: Status = {
  mode: 'write',
  sandbox: 'landlock',
  isEnforced: true,
  network: 'none',
  workspace: '~/p',
  exitCode: 1,
  denial: '0a1b-1',
  stopped: 1,
};

const weak: Partial<Status> = {sandbox: 'no sandbox', isEnforced: false, network: 'full'};
const named = 'allow registry.npmjs.org github.com pypi.org';

/** The parts that must stay visible longest: the mode, a weak boundary, stopped commands, the exit code, the latest refusal. */
const statuses: readonly (readonly [columns: number, changed: Partial<Status>, want: string | undefined])[] =
  [
    [100, {}, ' write · landlock · net none · ~/p · exit 1 · 1 stopped · denied 0a1b-1 /why '],
    [70, {}, ' write · net none · ~/p · exit 1 · 1 stopped · denied 0a1b-1 /why '],
    [40, {}, ' write · net none · exit 1 · 1 stopped '],
    [40, {exitCode: 148}, ' write · ~/p · exit 148 · 1 stopped '],
    [40, {stopped: 0}, ' write · exit 1 · denied 0a1b-1 /why '],
    [40, {stopped: 0, denial: undefined}, ' write · landlock · net none · exit 1 '],
    [40, weak, ' write · no sandbox · net full · ~/p '],
    [60, weak, ' write · no sandbox · net full · ~/p · exit 1 · 1 stopped '],
    [40, {network: named}, ' write · net allow re… · 1 stopped '],
    [20, {}, ' write · 1 stopped '],
    [20, {stopped: 0}, ' write · exit 1 '],
    [19, {}, undefined],
  ];

for (const [columns, changed, want] of statuses)
  test(`status line on ${columns} columns: ${JSON.stringify(changed)}`, () => {
    assert.equal(
      statusLine({...status, ...changed}, columns)
        ?.map(({text}) => text)
        .join(''),
      want,
    );
  });

test('no name in the status line moves the cursor', () => {
  const spans = statusLine({...status, workspace: '/a\u001b[2J\r\n\u202eb'}, 200)!;
  assert.doesNotMatch(spans[0]!.text, /[\p{Cc}\p{Cf}]/u);
});
