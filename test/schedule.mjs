// Runs test files in the order of the arguments; `node --test` would sort them. Reports as `node --test` does. It runs more
// files at a time than there are processors, because many wait for a time limit or a process. Each file is a process with
// the options of this one.
import {availableParallelism} from 'node:os';
import {run} from 'node:test';
import {spec} from 'node:test/reporters';

// Per file. 100,000 lines of a fuzzer take more than 20 minutes on two busy cores.
const timeout = process.env['ION_TEST_FULL'] === '1' ? 7_200_000 : 1_200_000;

run({files: process.argv.slice(2), concurrency: 2 * availableParallelism(), timeout})
  .on('test:fail', () => (process.exitCode = 1))
  .compose(spec)
  .pipe(process.stdout);
