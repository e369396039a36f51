/**
 * How much of the suite runs. `npm test` has two and a half minutes for the most informative tests. Two variables add to
 * it. With ION_TEST_WHOLE=1 (`.ci/run whole` and `user`, by default) each case runs, and each attack is also tried outside.
 * With ION_TEST_FULL=1 (`.ci/run all`) each runs for each identity, on each reduced kernel and in each setting.
 */
export const isFull = process.env['ION_TEST_FULL'] === '1';
export const isWhole = isFull || process.env['ION_TEST_WHOLE'] === '1';

/** The number of generated or selected cases, by how much of the suite runs. */
export function howMany(amount: {
  readonly quick: number;
  readonly whole: number;
  readonly full: number;
}): number {
  if (isFull) return amount.full;
  return isWhole ? amount.whole : amount.quick;
}

/** The runs of a property. `whole` is the number in the whole suite; `npm test` runs a tenth. */
export const runsOf = (whole: number): number => (isWhole ? whole : Math.ceil(whole / 10));
