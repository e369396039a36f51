import {test} from 'node:test';
import assert from 'node:assert/strict';
import {quoted, renderMessage, type Message} from '../../src/errors.ts';

const messages: {name: string; message: Message; want: string}[] = [
  {name: 'one line', message: {text: 'the command is empty'}, want: 'ion: the command is empty\n'},
  {
    name: 'three lines',
    message: {
      text: 'unknown key "permissions.deny_command"',
      at: {file: '.ion/config.toml', line: 3},
      help: 'did you mean "deny_commands"?',
    },
    want: 'ion: unknown key "permissions.deny_command"\n --> .ion/config.toml:3\nhelp: did you mean "deny_commands"?\n',
  },
  {
    name: 'a file without a line',
    message: {text: 'x', at: {file: 'a.toml'}},
    want: 'ion: x\n --> a.toml\n',
  },
  {
    name: "only ion's own lines: untrusted control characters are escaped in every part",
    message: {text: 'a\nion: b\u001b[2K', at: {file: 'x\r.toml', line: 1}, help: 'c\u2028d\u202ee'},
    want: 'ion: a\\nion: b\\e[2K\n --> x\\r.toml:1\nhelp: c\\u{2028}d\\u{202e}e\n',
  },
  {
    name: 'quoted text is not escaped twice',
    message: {text: `could not change ${quoted('a"b\\c\nd')}`},
    want: 'ion: could not change "a\\"b\\\\c\\nd"\n',
  },
  {
    name: 'a stack has lines of its own',
    message: {text: 'this is a bug in ion', details: 'Error: a\u001b\n    at b', help: 'report it'},
    want: 'ion: this is a bug in ion\nError: a\\e\n    at b\nhelp: report it\n',
  },
];
for (const {name, message, want} of messages) {
  test(`renderMessage: ${name}`, () => assert.equal(renderMessage(message), want));
}

const texts: {name: string; text: string; want: string}[] = [
  {name: 'plain', text: 'git push', want: '"git push"'},
  {name: 'a quote and a backslash', text: 'a"b\\c', want: '"a\\"b\\\\c"'},
  {name: 'a terminal escape', text: '\u001b[2J\r', want: '"\\e[2J\\r"'},
  {name: 'a bidi override', text: 'a\u202eb', want: '"a\\u{202e}b"'},
  {
    name: 'characters that a terminal shows as nothing, or as an unusual space',
    text: 'a\ufe0fb\u{e0100}c\u034fd\u3164e\u2800f\u00a0g\u202fh',
    want: '"a\\u{fe0f}b\\u{e0100}c\\u{34f}d\\u{3164}e\\u{2800}f\\u{a0}g\\u{202f}h"',
  },
  {name: 'letters of other scripts, with their marks', text: 'é e\u0301 漢 한', want: '"é e\u0301 漢 한"'},
  {name: 'a lone surrogate', text: '\ud800', want: '"\\u{d800}"'},
  {name: 'a long text', text: 'x'.repeat(300), want: `"${'x'.repeat(200)}…"`},
];
for (const {name, text, want} of texts) {
  test(`quoted: ${name}`, () => assert.equal(quoted(text), want));
}
