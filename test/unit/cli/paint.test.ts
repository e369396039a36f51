import assert from 'node:assert/strict';
import {stripVTControlCharacters} from 'node:util';
import {test} from 'node:test';
import {painted, paperOf} from '../../../src/cli/paint.ts';

const refusal = 'ion: blocked: touch (pid 7) could not change "/opt/x" (openat: outside the write roots)\n';
const help =
  'help: for this run: --set sandbox.write_roots+=/a/very/long/path/that/is/pasted; for all: sandbox.write_roots = ["/a/very/long/path/that/is/pasted"] in ~/.ion/config.toml\n';

const cases: readonly {name: string; text: string; colors: boolean; width?: number; want: RegExp | string}[] =
  [
    {name: 'a pipe gets the text unchanged', text: refusal + help, colors: false, want: refusal + help},
    {name: 'a refusal is red', text: refusal, colors: true, want: /^.\[31m.*ion: blocked/},
    {name: 'a denial is red', text: 'ion: denied: "x"\n', colors: true, want: /^.\[31m.*ion: denied/},
    {
      name: 'a warning is yellow',
      text: 'ion: ignored: "x"\n',
      colors: true,
      want: /^.\[33m.*ion: ignored/,
    },
    {name: 'help is green', text: help, colors: true, want: /^.\[32mhelp:/},
    {name: 'only the prefix is coloured', text: refusal, colors: true, want: /m: touch \(pid 7\)/},
    {
      name: 'lines break between words',
      text: refusal,
      colors: false,
      width: 60,
      want:
        'ion: blocked: touch (pid 7) could not change "/opt/x"\n' +
        '     (openat: outside the write roots)\n',
    },
    {name: 'a text to paste is not broken', text: help, colors: false, width: 40, want: help},
    {
      name: 'a narrow terminal breaks lines by itself',
      text: refusal,
      colors: false,
      width: 10,
      want: refusal,
    },
  ];

for (const {name, text, colors, width, want} of cases) {
  test(`ion's own lines: ${name}`, () => {
    const shown = painted(text, {colors, width});
    if (typeof want === 'string') assert.equal(shown, want);
    else assert.match(shown, want);
    if (width === undefined) assert.equal(stripVTControlCharacters(shown), text);
  });
}

test("ion's own lines: without a terminal, no colours and no width", () => {
  assert.deepEqual(paperOf(-1, {TERM: 'xterm-256color'}), {colors: false, width: undefined});
});
