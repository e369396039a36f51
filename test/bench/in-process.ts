// Prints {session, prompt, plain}: the milliseconds of each round, for one command in an open session, for one at the prompt
// (with the shell's state), and for a plain spawn of bash.
import {spawn} from 'node:child_process';
import {openShell, withShell} from '../../src/prompt/shell/shell-session.ts';
import {openSession, type Session} from '../../src/session/session.ts';

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
const ignore = (): void => undefined;
const shell = openShell(host.cwd);
const turn = {
  shell,
  start: {...shell},
  version: shell.version,
  status: 0,
  onStop: ignore,
  onLoss: ignore,
  warn: ignore,
};
const atPrompt = withShell(opened, turn);
const inSession = async (session: Session): Promise<void> => {
  const {decision} = await session.decide('true');
  if (decision.effect !== 'allow') throw new Error(decision.message);
  const running = await session.start('true', {stdio: ['ignore', 'ignore', 'ignore']});
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
const prompt: number[] = [];
const plain: number[] = [];
for (let round = 0; round < Number(rounds) + 5; round++) {
  const times = [
    await timed(() => inSession(opened)),
    await timed(() => inSession(atPrompt)),
    await timed(plainSpawn),
  ];
  if (round < 5) continue;
  session.push(times[0]!);
  prompt.push(times[1]!);
  plain.push(times[2]!);
}
process.stdout.write(JSON.stringify({session, prompt, plain}));
