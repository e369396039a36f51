/**
 * Starts a command in a session of ion without deciding on it: nothing looks at its text. What is left is the boundary alone.
 * Arguments: the package, the session's flags as JSON, the command. The last line of stderr is the facts, as with `--json`.
 */
import {openSession, type SessionFlags} from '../../src/session/session.ts';
import {sandboxRecord} from '../../src/session/recorder.ts';
import type {RunEvent} from '../../src/sandbox/launch.ts';

const [, , packageRoot = '', flags = '{}', command = ''] = process.argv;

const host = {
  packageRoot,
  cwd: process.cwd(),
  environment: process.env,
  home: process.env['HOME'],
  otherHomes: [],
  machineConfig: '/nonexistent',
  uid: process.getuid!(),
  node: process.execPath,
};

async function run(): Promise<void> {
  const session = await openSession(host, JSON.parse(flags) as SessionFlags);
  session.machine.native?.addon.becomeSubreaper();
  const violations: RunEvent[] = [];
  const running = await session.start(command, {
    stdio: ['inherit', 'inherit', 'inherit'],
    onEvent: (event) => {
      if (event.kind === 'violation') violations.push(event);
    },
  });
  const {code, signal} = await running.outcome;
  process.stderr.write(
    `${JSON.stringify({violations, sandbox: sandboxRecord(session.facts).sandbox_profile})}\n`,
  );
  process.exitCode = signal === undefined ? code : 128 + signal;
  session.close();
}

run().catch((error: Error) => {
  process.stderr.write(`ion: ${error.message}\n`);
  process.exitCode = 125;
});
