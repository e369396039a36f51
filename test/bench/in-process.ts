// Prints {session, plain}: the milliseconds of each round, for one command in an open session and for a plain spawn of
// bash.
import {spawn} from 'node:child_process';
import {openSession} from '../../src/session/session.ts';

const [, , packageRoot = '', rounds = '60'] = process.argv;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

const host = {
  packageRoot,
  cwd: process.cwd(),
  environment: process.env,
  home: process.env['HOME'],
  otherHomes: [],
  machineConfig: '/etc/ion/config.toml',
  uid: process.getuid!(),
  node: process.execPath,
};
const opened = await openSession(host, {for: 'serve'});
const inSession = async (): Promise<void> => {
  const {decision} = await opened.decide('true');
  if (decision.effect !== 'allow') throw new Error(decision.message);
  const running = await opened.start('true', {stdio: ['ignore', 'ignore', 'ignore']});
  const {code} = await running.outcome;
  if (code !== 0) throw new Error(`exit ${code}`);
};
const plainSpawn = (): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['--norc', '-c', 'true'], {stdio: 'ignore'});
    child.once('error', reject);
    child.once('exit', resolve);
  });

const session: number[] = [];
const plain: number[] = [];
for (let round = 0; round < Number(rounds) + 5; round++) {
  const [a, b] = [await timed(inSession), await timed(plainSpawn)];
  if (round < 5) continue;
  session.push(a);
  plain.push(b);
}
process.stdout.write(JSON.stringify({session, plain}));
