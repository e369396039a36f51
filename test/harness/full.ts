/**
 * Take the time for everything: each setting of each case. `npm test` has five minutes, and takes what tells most;
 * `.ci/run all` runs the same files with ION_TEST_FULL=1.
 */
export const isFull = process.env['ION_TEST_FULL'] === '1';
