import {test} from 'node:test';
import assert from 'node:assert/strict';
import {compileGlob, matchGlob, maxGlobLength, runGlob} from '../../../../src/shell/match/glob.ts';
import vectors from '../../../vectors/glob.json' with {type: 'json'};
import {fc} from '../../../harness/property.ts';

for (const {pattern, text, match} of vectors) {
  test(`${JSON.stringify(pattern)} on ${JSON.stringify(text)}: ${match}`, () =>
    assert.equal(matchGlob(pattern, text), match));
}

/** The definition, implemented literally. It is exponential, so only for short inputs. */
function slow(pattern: readonly string[], text: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return text.length === 0;
  if (head === '*') return slow(rest, text) || (text.length > 0 && slow(pattern, text.slice(1)));
  return text.length > 0 && (head === '?' || head === text[0]) && slow(rest, text.slice(1));
}

const letters = (characters: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...Array.from(characters)), {maxLength: 12}).map((list) => list.join(''));

test('it equals the definition', () => {
  fc.assert(
    fc.property(letters('ab*?😀'), letters('ab/ 😀'), (pattern, text) => {
      assert.equal(matchGlob(pattern, text), slow(Array.from(pattern), Array.from(text)));
    }),
    {numRuns: 3000},
  );
});

test('unknown text matches if any text would', () => {
  fc.assert(
    fc.property(
      letters('ab*?'),
      letters('ab'),
      letters('ab'),
      letters('ab'),
      (pattern, before, hole, after) => {
        const possible = runGlob(compileGlob(pattern), [before, null, after]);
        if (matchGlob(pattern, before + hole + after)) assert.ok(possible);
      },
    ),
    {numRuns: 3000},
  );
});

const holes: {pattern: string; pieces: (string | null)[]; want: boolean}[] = [
  {pattern: 'git push*', pieces: ['git ', null], want: true},
  {pattern: 'git push*', pieces: ['echo ', null], want: false},
  {pattern: 'git push*', pieces: [null], want: true},
  {pattern: 'git push', pieces: [null, ' push'], want: true},
  {pattern: 'git push', pieces: [null, ' pull'], want: false},
  {pattern: 'sudo *', pieces: ['ls ', null, ' sudo x'], want: false},
  {pattern: '*x', pieces: ['a', null, 'x'], want: true},
  {pattern: '', pieces: [null], want: true},
];
for (const {pattern, pieces, want} of holes) {
  test(`${JSON.stringify(pattern)} may match ${JSON.stringify(pieces)}: ${want}`, () =>
    assert.equal(runGlob(compileGlob(pattern), pieces), want));
}

test('a pattern beyond the bound is an error, not a match', () => {
  assert.throws(() => matchGlob('*'.repeat(maxGlobLength + 1), 'x'), /longer than/);
});
