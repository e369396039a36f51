import path from 'node:path';

/** The copy of the built package that test/run.mjs made (test/install.mjs). */
export const packageRoot = process.env['ION_TEST_PACKAGE'] ?? process.cwd();
/** A session that runs a command without deciding on it (undecided.ts). */
export const undecidedFile = path.join(packageRoot, 'undecided.cjs');
export const ionFile = path.join(packageRoot, 'bin/ion');
export const shellFile = path.join(packageRoot, 'bin/ion-sh');
export const execFile = path.join(packageRoot, 'bin/ion-exec');
export const launcherFile = path.join(packageRoot, 'native/build/Release/ion-launcher');

/** The repository. The runner starts the tests in it. */
export const repository = process.cwd();
