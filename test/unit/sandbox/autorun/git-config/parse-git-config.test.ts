import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {parseGitConfig} from '../../../../../src/sandbox/autorun/git-config/parse-git-config.ts';
import {runsOf} from '../../../../harness/extent.ts';
import {fc} from '../../../../harness/property.ts';

const folder = mkdtempSync('/tmp/ion-git-config-');
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

/** The entries that git reads, or undefined if git refuses the file. */
function readByGit(text: string): string[] | undefined {
  const file = path.join(folder, 'config');
  writeFileSync(file, text, 'latin1');
  const {status, stdout} = spawnSync('git', ['config', '--list', '-z', '--file', file], {
    encoding: 'latin1',
    env: {PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: folder},
    cwd: folder,
  });
  return status === 0 ? stdout.split('\0').slice(0, -1) : undefined;
}

function readByIon(text: string): string[] | undefined {
  try {
    return parseGitConfig(text).entries.map(({key, value}) =>
      value === undefined ? key : `${key}\n${value}`,
    );
  } catch {
    return undefined;
  }
}

/** git before 2.45 replaces each blank inside a value by a space; later versions keep it. */
function blank(list: string[] | undefined): string[] | undefined {
  return list?.map((entry) => entry.replaceAll(/[\t\r]/g, ' '));
}

const texts = [
  '',
  '\n',
  '\ufeff',
  '[a]b',
  '[a]b\n',
  '[a]\n\tb = c\n',
  '[a] b = c ; comment\n d = "e;f" # comment\n',
  '[A "B c\\"d\\\\e"]\n\tNaMe = VaLue\n',
  '[a.B]\nc=d',
  '[a.B "C"]\nc=d',
  '[a]\nb = c \\\n d\n',
  '[a]\nb = "c \\\n d"\n',
  '[a]\nb = # \\\nc = d\n',
  '[a]\nb = c\\',
  '[a]\nb = c\\\\',
  '[a]\nb = "c\n',
  '[a]\nb = \\q\n',
  '[a]\nb = \\t\\b\\n\\"\\\\\n',
  '[a]\r\nb = c\r\n',
  '[a]\nb = c\rd\n',
  '[a\n]\n',
  '[a "b]\n',
  '[a "b" ]\n',
  '[a  "b"]x=y\n',
  '[a "b\\\nc"]\n',
  '[]\nx=y\n',
  '[ "a"]\nx=y\n',
  '[.]\nx=y\n',
  'x=y\n',
  '[a]\n1b = c\n',
  '[a]\nb-1 = c\n',
  '[a]\nb_1 = c\n',
  '[a]\nb c\n',
  '[a]\nb # c\n',
  '[a]\nb =\n',
  '[a]\nb = ""\n',
  '[a]\nb = " c "  d  \n',
  '[a]\nb = c\x0b\x0c\n',
  '\u00ef\u00bb\u00bf[a]\nb=c\n',
  '\u00ef\u00bb[a]\nb=c\n',
  '[include]\npath = x\n[includeIf "gitdir:~/"]\npath = y\n',
  '[a]b=c[d]e=f\n',
  '[a] [b] c=d\n',
  '[a]\nb = c "d" e\n',
  '[a]\n;x\n#y\n\tb=c',
  '[remote "origin"]\n\turl = a\n\turl = b\n',
  '[\u00e9]\nb=c',
  '[a "\u00e9"]\nb=\u00e9',
];

test('reads the same as git, for every trap of the syntax', () => {
  for (const text of texts)
    assert.deepEqual(blank(readByIon(text)), blank(readByGit(text)), JSON.stringify(text));
});

test('a NUL byte is refused: git would truncate the value there', () => {
  assert.throws(() => parseGitConfig('[a]\nb = c\0d\n'), /a NUL at byte 9/);
});

test('law: any text is read as git reads it, or refused if git refuses it', () => {
  const piece = fc.constantFrom(
    ...['[', ']', '"', '\\', '\n', '\r', '\t', ' ', '=', '#', ';', '.', '-', 'a', 'B', '1', '\u00e9'],
    ...['[a]\n', '[a "b"]\n', 'b = c\n', '\\\n', '\\n', '\r\n', ' = ', '"x"'],
  );
  const text = fc.array(piece, {maxLength: 24}).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.constantFrom('', '[a]\n', '[a]\nb = '), text, (start, rest) => {
      assert.deepEqual(blank(readByIon(start + rest)), blank(readByGit(start + rest)));
    }),
    {numRuns: runsOf(1000)},
  );
});

test('law: the text of an entry, alone in its section, is that entry', () => {
  for (const text of texts) {
    let config;
    try {
      config = parseGitConfig(text);
    } catch {
      continue;
    }
    for (const {start, end, value, name} of config.entries) {
      const [alone] = parseGitConfig(text.slice(start, end)).entries;
      assert.deepEqual([alone?.name, alone?.value], [name, value]);
    }
  }
});
