// Runs test files in the order of the arguments; `node --test` would sort them. Reports as `node --test` does. It runs more
// files at a time than there are processors, because many wait for a time limit or a process. Each file is a process with
// the options of this one.
import {availableParallelism} from 'node:os';
import {run} from 'node:test';
import {spec} from 'node:test/reporters';

// Per file. A test that waits for ever must not cost the rest its time; 100,000 lines of a fuzzer take more than 20 minutes on
// two busy cores.
const minute = 60_000;
const {ION_TEST_FULL: isFull, ION_TEST_WHOLE: isWhole} = process.env;
const timeout = isFull === '1' ? 120 * minute : isWhole === '1' ? 15 * minute : 5 * minute;

run({files: process.argv.slice(2), concurrency: 2 * availableParallelism(), timeout})
  .on('test:fail', () => (process.exitCode = 1))
  .compose(spec)
  .pipe(process.stdout);
