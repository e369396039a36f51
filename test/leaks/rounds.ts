// Runs commands in one session, one after the other and some at the same time. Prints what this process and the machine
// hold before and after: {before, after}. The first rounds fill caches and are not counted.
// usage: node --expose-gc rounds.mjs <package> <rounds>; the current folder is the workspace.
import {readdirSync, readFileSync} from 'node:fs';
import {openSession} from '../../src/session/session.ts';
import {takeStock, type Stock} from './stock.ts';

const [, , packageRoot = '', given = '300'] = process.argv;
const rounds = Number(given);
/** V8 lets its heap grow until about the thousandth run: seen 76 MB after 50 runs, 110 to 120 MB from 800 to 4,000. */
const warmUp = Math.min(1000, Math.max(50, Math.ceil(rounds / 10)));
const atOnce = 2;

const session = await openSession(
  {
    packageRoot,
    cwd: process.cwd(),
    environment: process.env,
    home: process.env['HOME'],
    otherHomes: [],
    machineConfig: '/etc/ion/config.toml',
    uid: process.getuid!(),
    node: process.execPath,
  },
  {for: 'serve', configFile: `${process.cwd()}/../leaks.toml`},
);

/** Commands that do nothing, much or too much, and end by themselves, by a signal or by a limit. */
const commands = [
  'true',
  'git config user.name x; git status --short',
  'echo x > ../outside',
  'setsid sleep 100 & exit 3',
  'kill -9 $$',
  '/usr/bin/python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.bind(\'s\')"; rm -f s',
];

async function one(number: number): Promise<void> {
  const command = commands[number % commands.length]!;
  const running = await session.start(command, {
    stdio: ['ignore', 'ignore', 'ignore'],
    onEvent: () => undefined,
  });
  await running.outcome;
}

async function run(count: number): Promise<void> {
  for (let number = 0; number < count; number += atOnce) {
    await Promise.all(Array.from({length: atOnce}, (_, index) => one(number + index)));
  }
}

/** The stock of this process. Node's own threads come and go, so it first waits for threads that end after a run. */
async function ownStock(): Promise<Stock> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  globalThis.gc?.();
  const status = readFileSync('/proc/self/status', 'utf8');
  const number = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    threads: number('Threads'),
    children: readdirSync('/proc/self/task').flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    ).length,
    heapBytes: process.memoryUsage().heapUsed + process.memoryUsage().external,
    residentBytes: number('VmRSS') * 1024,
  };
}

await run(warmUp);
const before = {...(await ownStock()), ...takeStock(process.cwd())};
await run(rounds);
const after = {...(await ownStock()), ...takeStock(process.cwd())};
session.close();
process.stdout.write(JSON.stringify({before, after}));
