import {spawn, type ChildProcess} from 'node:child_process';
import {createInterface} from 'node:readline';
import {packageRoot, undecidedFile} from '../harness/package.ts';
import type {Ended} from '../harness/run.ts';
import type {Asked} from '../harness/undecided.ts';
import {through, type Column} from './world.ts';

/**
 * A process that runs attacks one after the other, each in an ion session of its own that does not check the command's
 * text. So the start of node is paid only once. If the process ends, it is started again for the next attack.
 */
export interface Sessions {
  run(asked: Asked): Promise<Ended>;
  end(): void;
}

interface Server {
  readonly process: ChildProcess;
  readonly answers: AsyncIterator<string>;
}

export function openSessions(column: Column): Sessions {
  let server: Server | undefined;
  return {
    async run(asked) {
      server ??= startServer(column);
      server.process.stdin!.write(`${JSON.stringify(asked)}\n`);
      const answer = await server.answers.next();
      if (!answer.done) return JSON.parse(answer.value) as Ended;
      server = undefined;
      throw new Error('the process with the sessions has ended');
    },
    end: () => void server?.process.stdin!.end(),
  };
}

function startServer(column: Column): Server {
  const [program, ...args] = [...through(column), process.execPath, undecidedFile, packageRoot, 'serve'];
  const server = spawn(program!, args, {
    cwd: '/',
    env: {PATH: process.env['PATH'], LANG: 'C.UTF-8'},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  server.stdin.on('error', () => undefined); // the next answer will show that it has ended
  return {process: server, answers: createInterface({input: server.stdout})[Symbol.asyncIterator]()};
}
