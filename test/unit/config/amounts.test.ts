import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseDuration, shownDuration, shownSize} from '../../../src/config/scalars.ts';
import {fc} from '../../harness/property.ts';

const sizes: readonly (readonly [bytes: number, want: string])[] = [
  [1, '1 byte'],
  [300, '300 bytes'],
  [1023, '1023 bytes'],
  [1024, '1K'],
  [1536, '1.5K'],
  [20 * 2 ** 20, '20M'],
  [20 * 2 ** 20 + 4096, '20M'],
  [4 * 2 ** 30, '4G'],
  [2 ** 40, '1T'],
  [3 * 2 ** 50, '3072T'],
];
for (const [bytes, want] of sizes) {
  test(`a size is shown as a person writes it: ${want}`, () => assert.equal(shownSize(bytes), want));
}

const durations: readonly (readonly [ms: number, want: string])[] = [
  [0, '0ms'],
  [500, '500ms'],
  [1500, '1500ms'],
  [30_000, '30s'],
  [90_000, '90s'],
  [600_000, '10m'],
  [86_400_000, '1d'],
];
for (const [ms, want] of durations) {
  test(`a duration is shown as a person writes it: ${want}`, () => assert.equal(shownDuration(ms), want));
}

test('a printed duration parses to the same value', () => {
  fc.assert(
    fc.property(fc.integer({min: 1, max: 2 ** 31 - 1}), (ms) => parseDuration(shownDuration(ms)) === ms),
  );
});
