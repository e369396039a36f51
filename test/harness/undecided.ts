/**
 * Starts commands in sessions of ion that do not check their text, so only the sandbox protects. Arguments: the package,
 * the session's flags as JSON, the command. The last line of stderr contains the facts, as with `--json`. With `serve`
 * instead of the flags it handles several requests in turn (`Asked`): one line of JSON for each, and one line for each
 * result.
 */
import {closeSync, openSync} from 'node:fs';
import {createInterface} from 'node:readline';
import type {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {giveStreams, type GivenStreams} from '../../src/doctor/given-streams.ts';
import type {Given} from '../../src/doctor/attack.ts';
import type {Stdio} from '../../src/sandbox/launch.ts';
import type {RunEvent} from '../../src/sandbox/run-event.ts';
import {sandboxProfile} from '../../src/session/recorder.ts';
import {openSession, type Session, type SessionFlags} from '../../src/session/session.ts';

/** A command in a session of its own. Standard input is this file, or the given stream. */
export interface Asked {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly flags: Partial<SessionFlags>;
  readonly input: string;
  readonly inputMode: 'r' | 'r+';
  readonly given?: Given | undefined;
}

const [, , packageRoot = '', flags = '{}', command = ''] = process.argv;

type Place = Pick<Asked, 'cwd' | 'environment' | 'flags'>;

function open({cwd, environment, flags: given}: Place): Promise<Session> {
  const host = {
    packageRoot,
    cwd,
    environment,
    home: environment['HOME'],
    otherHomes: [],
    machineConfig: '/nonexistent',
    uid: process.getuid!(),
    node: process.execPath,
  };
  return openSession(host, {for: 'run', ...given});
}

type Streams = readonly [Stdio, Stdio, Stdio];

/** Returns the exit code and the facts. `watch` gets the requested pipes. */
async function start(
  session: Session,
  asked: string,
  stdio: Streams,
  watch?: (pipes: readonly (Readable | null)[]) => void,
): Promise<{readonly code: number; readonly facts: string}> {
  session.machine.native?.addon.becomeSubreaper();
  const violations: RunEvent[] = [];
  const running = await session.start(asked, {
    stdio,
    onEvent: (event) => {
      if (event.kind === 'violation') violations.push(event);
    },
  });
  watch?.([running.stdio[1], running.stdio[2]]);
  const {code, signal} = await running.outcome;
  const sandbox = sandboxProfile(session.facts);
  return {
    code: signal === undefined ? code! : 128 + signal,
    facts: `${JSON.stringify({violations, sandbox})}\n`,
  };
}

async function run(): Promise<void> {
  const environment = process.env as Record<string, string>;
  const place = {cwd: process.cwd(), environment, flags: JSON.parse(flags) as Partial<SessionFlags>};
  const session = await open(place);
  const {code, facts} = await start(session, command, ['inherit', 'inherit', 'inherit']);
  process.stderr.write(facts);
  process.exitCode = code;
  session.close();
}

async function serve(): Promise<void> {
  for await (const line of createInterface({input: process.stdin})) {
    const ended = await answer(JSON.parse(line) as Asked).catch((error: Error) => ({
      code: 125,
      stdout: '',
      stderr: `ion: ${error.message}\n`,
    }));
    process.stdout.write(`${JSON.stringify({signal: null, ...ended})}\n`);
  }
}

async function answer(
  asked: Asked,
): Promise<{readonly code: number; readonly stdout: string; readonly stderr: string}> {
  const session = await open(asked);
  try {
    const streams = await streamsFor(session, asked);
    try {
      let texts: Promise<string>[] = [];
      const {code, facts} = await start(
        session,
        asked.command,
        [streams.input, streams.output, 'pipe'],
        (pipes) => {
          texts = pipes.map((pipe) => (pipe ? text(pipe) : Promise.resolve('')));
        },
      );
      const [stdout = '', stderr = ''] = await Promise.all(texts);
      return {code, stdout, stderr: `${stderr}${stderr && !stderr.endsWith('\n') ? '\n' : ''}${facts}`};
    } finally {
      streams.close();
    }
  } finally {
    session.close();
  }
}

async function streamsFor({machine}: Session, asked: Asked): Promise<GivenStreams> {
  if (asked.given) {
    const {TCP: PORT = '', ...rest} = asked.environment;
    const world = {addon: machine.native!.addon, variables: {...rest, PORT}};
    const given = await giveStreams(asked.given, world);
    // Standard input and output carry the requests and the results.
    if (given)
      return {
        ...given,
        input: given.input === 'inherit' ? 'ignore' : given.input,
        output: given.output === 'ignore' ? 'pipe' : given.output,
      };
    throw new Error(`no ${asked.given} could be made`);
  }
  const input = openSync(asked.input, asked.inputMode);
  return {input, output: 'pipe', close: () => closeSync(input)};
}

(flags === 'serve' ? serve() : run()).catch((error: Error) => {
  process.stderr.write(`ion: ${error.message}\n`);
  process.exitCode = 125;
});
