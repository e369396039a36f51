/**
 * How much of the suite runs. `npm test` has two and a half minutes for what tells most. Two variables add to it: with
 * ION_TEST_WHOLE=1 (`.ci/run whole`, by default) each case runs for each identity, and each attack is tried outside too; with
 * ION_TEST_FULL=1 (`.ci/run all`) it also runs on each reduced kernel and in each setting.
 */
export const isFull = process.env['ION_TEST_FULL'] === '1';
export const isWhole = isFull || process.env['ION_TEST_WHOLE'] === '1';

/** How many of what is generated or chosen, by how much of the suite runs. */
export function howMany(amount: {
  readonly quick: number;
  readonly whole: number;
  readonly full: number;
}): number {
  if (isFull) return amount.full;
  return isWhole ? amount.whole : amount.quick;
}

/** Runs of a property, of a number that the whole suite has: a tenth in `npm test`. */
export const runsOf = (whole: number): number => (isWhole ? whole : Math.ceil(whole / 10));
