import path from 'node:path';

const folder = process.env['ION_TEST_AGENTS'];

/**
 * The programs of agents and of MCP servers, from npm: 800 MB. `.ci/run agents` installs them, and then runs these tests in a
 * network namespace that has only a loopback. Undefined elsewhere.
 */
export const programs = folder === undefined ? undefined : path.join(folder, 'node_modules/.bin');
export const packages = folder === undefined ? undefined : path.join(folder, 'node_modules');
