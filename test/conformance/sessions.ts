import {createInterface} from 'node:readline';
import type {Enter} from '../harness/network-world.ts';
import {packageRoot, undecidedFile} from '../harness/package.ts';
import {startProgram, type Ended, type Started} from '../harness/run.ts';
import type {Asked} from '../harness/undecided.ts';
import {through, type Column} from './world.ts';

/**
 * A process that runs attacks one after the other, each in an ion session of its own that does not check the command's text. So
 * the start of node is paid only once. If the process ends, the next attack starts another one.
 */
export interface Sessions {
  /** `enter`: words that start a program among the named servers, or none. */
  run(asked: Asked, enter: Enter): Promise<Ended>;
  end(): void;
}

interface Server {
  readonly process: Started;
  readonly answers: AsyncIterator<string>;
}

export function openSessions(column: Column): Sessions {
  const servers = new Map<string, Server>();
  return {
    async run(asked, enter) {
      const key = enter.join(' ');
      const server = servers.get(key) ?? startServer(column, enter);
      servers.set(key, server);
      server.process.stdin!.write(`${JSON.stringify(asked)}\n`);
      const answer = await server.answers.next();
      if (!answer.done) return JSON.parse(answer.value) as Ended;
      servers.delete(key);
      throw new Error('the process with the sessions has ended');
    },
    end: () => {
      for (const server of servers.values()) server.process.stdin!.end();
    },
  };
}

function startServer(column: Column, enter: Enter): Server {
  const argv = [...enter, ...through(column), process.execPath, undecidedFile, packageRoot, 'serve'];
  const server = startProgram({home: '/', work: '/'}, argv, {
    env: {HOME: undefined, TERM: undefined},
    stdio: ['pipe', 'pipe', 'inherit'],
    buffer: false,
  });
  server.stdin!.on('error', () => undefined); // the next answer will show that it has ended
  return {process: server, answers: createInterface({input: server.stdout!})[Symbol.asyncIterator]()};
}
