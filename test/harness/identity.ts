import {accessSync, constants, readFileSync} from 'node:fs';
import {spawnSync} from 'node:child_process';
import {isFull, isWhole} from './extent.ts';
import {ionFile} from './package.ts';

/** The user who runs ion in a test. */
export interface Identity {
  readonly name: 'root' | 'user';
  readonly uid: number;
  readonly gid: number;
}

/** The user who runs the tests. */
export const own: Identity = {
  name: process.getuid!() === 0 ? 'root' : 'user',
  uid: process.getuid!(),
  gid: process.getgid!(),
};

/**
 * For root: root and an unprivileged user (`ion-test` if it exists, else `nobody`). For any other user: only this user. A
 * test runs for each identity where the kernel or the launcher treats root differently.
 */
export const identities: readonly Identity[] = own.name === 'root' ? [own, unprivileged()] : [own];

export const plain: Identity = identities.at(-1)!;

/**
 * For all other tests: in `npm test` the unprivileged identity; in the whole suite the user who runs it, because `.ci/run` starts
 * it as root and as a user; with ION_TEST_FULL=1 both.
 */
export const testers: readonly Identity[] = isFull ? identities : [isWhole ? own : plain];

/** For spawn: only root can start a process as another user. */
export function spawnAs({uid, gid}: Identity): {readonly uid?: number; readonly gid?: number} {
  return process.getuid!() === 0 ? {uid, gid} : {};
}

function unprivileged(): Identity {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account =
    accounts.find(([name]) => name === 'ion-test') ?? accounts.find(([name]) => name === 'nobody');
  if (!account) throw new Error('no unprivileged user to test with: add one named ion-test');
  const user: Identity = {name: 'user', uid: Number(account[2]), gid: Number(account[3])};
  // Other users cannot reach a Node in root's home. Then half of the suite would test nothing.
  const {status} = spawnSync('test', ['-x', process.execPath, '-a', '-r', ionFile], {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
  });
  if (status !== 0)
    throw new Error(`uid ${user.uid} cannot run ${process.execPath}: install Node for everybody`);
  accessSync(ionFile, constants.R_OK);
  return user;
}
