/** The end of a server, step by step. e2e tests have real ones that ignore each step. */
import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {keepServer} from '../../../src/mcp/gateway/kept-server.ts';
import type {ServerProcess} from '../../../src/mcp/gateway/server-process.ts';

const steps = ['end of input', 'SIGTERM', 'SIGKILL'] as const;

for (const last of steps)
  test(`server: one that ends at ${last} gets no further step`, async () => {
    const got: string[] = [];
    const [input, output] = [new PassThrough(), new PassThrough()];
    let finish: (how: string) => void;
    const ended = new Promise<string>((resolve) => (finish = resolve));
    const step = (name: string): void => {
      got.push(name);
      if (name === last) finish(name);
    };
    input.resume().once('end', () => step('end of input'));
    const process: ServerProcess = {input, output, kill: step, ended};
    const ignore = (): void => undefined;
    const kept = await keepServer({
      server: 'x',
      start: () => Promise.resolve(process),
      warn: ignore,
      onMessage: ignore,
      onEnd: ignore,
      greet: () => Promise.resolve(),
      onUp: ignore,
      onGivenUp: ignore,
      onSlow: ignore,
      onCaughtUp: ignore,
    });
    await kept.close();
    assert.deepEqual(got, steps.slice(0, steps.indexOf(last) + 1));
  });
