import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {matchGlob} from '../../../src/shell/match/glob.ts';
import {compiledWith, sanitized} from '../../harness/native.ts';

interface Vector {
  readonly pattern: string;
  readonly text: string;
  readonly match: boolean;
}

const vectors = (JSON.parse(readFileSync('test/vectors/glob.json', 'utf8')) as Vector[]).filter(
  // A C string ends at a NUL, and a lone surrogate has no UTF-8 form.
  ({pattern, text}) => !`${pattern}${text}`.includes('\0') && !/\p{Cs}/u.test(`${pattern}${text}`),
);

test('the matcher at exec (C) and that of the analysis (TypeScript) agree on the shared vectors', () => {
  const binary = compiledWith('glob-vectors.c', ['base/command_pattern.c']);
  const input = vectors.map(({pattern, text}) => `${pattern}\0${text}\0`).join('');
  const answers = execFileSync(binary, {input, encoding: 'utf8', env: sanitized});
  for (const [index, {pattern, text, match}] of vectors.entries()) {
    assert.equal(answers[index], match ? '1' : '0', `C: ${JSON.stringify({pattern, text})}`);
    assert.equal(matchGlob(pattern, text), match, `TypeScript: ${JSON.stringify({pattern, text})}`);
  }
});
