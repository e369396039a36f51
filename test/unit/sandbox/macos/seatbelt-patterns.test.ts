import {test} from 'node:test';
import assert from 'node:assert/strict';
import picomatch from 'picomatch';
import {exactPattern, globPattern, pathPattern} from '../../../../src/sandbox/macos/seatbelt-patterns.ts';
import {fc} from '../../../harness/property.ts';

/** Like readRegex of the evaluator: POSIX sets in JavaScript's spelling. */
function compile(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll('[[]', '\\[').replaceAll('[]]', '\\]'), 's');
}

const names = fc.string({unit: 'grapheme', minLength: 1, maxLength: 6}).filter((name) => !/[/\0]/.test(name));
const paths = fc.array(names, {minLength: 1, maxLength: 4}).map((parts) => `/${parts.join('/')}`);

test('a pattern matches its own path, paths below it, and other letter cases', () =>
  fc.assert(
    fc.property(paths, names, (path, name) => {
      const pattern = compile(pathPattern(path));
      assert.ok(pattern.test(path));
      assert.ok(pattern.test(`${path}/${name}`));
      if (path.toUpperCase().length === path.length) assert.ok(pattern.test(path.toUpperCase()));
      assert.ok(!pattern.test(`${path}x`));
      assert.ok(!pattern.test(`/y${path}`));
      assert.ok(compile(exactPattern(path)).test(path));
      assert.ok(!compile(exactPattern(path)).test(`${path}/${name}`));
    }),
  ));

const globs: {readonly glob: string; readonly paths: readonly string[]}[] = [
  {glob: '/w/**/.env', paths: ['/w/.env', '/w/a/.env', '/w/a/b/.env', '/w/a.env', '/w/.env2', '/x/.env']},
  {glob: '/w/*.pem', paths: ['/w/a.pem', '/w/.pem', '/w/a/b.pem', '/w/a.pemx', '/w/apem']},
  {glob: '/w/**', paths: ['/w', '/w/a', '/w/a/b', '/wx']},
  {glob: '/w/a?c', paths: ['/w/abc', '/w/ac', '/w/a/c']},
  {glob: '/w/{a,b}.txt', paths: ['/w/a.txt', '/w/b.txt', '/w/c.txt', '/w/a,b.txt']},
  {glob: '/w/a**b', paths: ['/w/ab', '/w/axb', '/w/a/b']},
];

for (const {glob, paths: candidates} of globs) {
  test(`${glob} means the same as for picomatch`, () => {
    const matches = picomatch(glob, {dot: true});
    const pattern = compile(globPattern(glob)!);
    for (const path of candidates) assert.equal(pattern.test(path), matches(path), path);
    assert.ok(pattern.test(`${candidates[0]!}/below`));
  });
}

for (const glob of ['/w/[ab]', '/w/!(a)', '/w/@(a|b)', '/w/{a,{b,c}}', '/w/{a*,b}', '/w/a{b', '/w/\\*']) {
  test(`${glob} has no pattern`, () => assert.equal(globPattern(glob), undefined));
}
