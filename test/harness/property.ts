import fc from 'fast-check';
import {isWhole} from './extent.ts';

/**
 * fast-check, with the seeds that the extent of the suite asks for. `npm test` repeats the same cases, so that a failure is
 * of the change that it tests. The whole suite draws new ones in each run, and a failure prints its seed.
 */
if (!isWhole) fc.configureGlobal({seed: 20});

export {fc};
