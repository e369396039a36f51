// Compares a session's spawn with child_process.spawn: the same events, in the same order, with the same values.
import assert from 'node:assert/strict';
import {spawn as nodeSpawn, type ChildProcess} from 'node:child_process';
import {closeSync, openSync, readFileSync} from 'node:fs';
import type {Readable} from 'node:stream';
import {test} from 'node:test';
import type {Child, SpawnOptions} from '../../src/library/types.ts';
import {opened} from './opened.ts';

type AnyChild = Child | ChildProcess;

type Options = SpawnOptions & {readonly close?: () => void};

interface Case {
  readonly name: string;
  readonly words: readonly [string, readonly string[]];
  readonly options?: (folder: string) => Options;
  /** Runs while the command does. */
  readonly act?: (child: AnyChild) => void;
  /** Returns further values to compare after the end. */
  readonly look?: (folder: string) => unknown;
}

const sh = (text: string): [string, string[]] => ['bash', ['-c', text]];
const whenItSpeaks = (child: AnyChild, act: () => void): void => void child.stdout!.once('data', act);

const cases: readonly Case[] = [
  {name: 'output on both streams', words: sh('echo out; echo err >&2')},
  {name: 'an exit code', words: sh('exit 3')},
  {name: 'arguments as they are', words: ['printf', ['[%s]', 'a b', '', '$HOME', "it's", '*', '--', 'ü\n']]},
  {name: 'a signal of its own', words: sh('kill -TERM $$')},
  {
    name: 'kill',
    words: sh('echo up; exec sleep 50'),
    act: (child) => whenItSpeaks(child, () => child.kill()),
  },
  {
    name: 'kill by number',
    words: sh('echo up; exec sleep 50'),
    act: (child) => whenItSpeaks(child, () => child.kill(2)),
  },
  {
    name: 'a signal that is handled',
    words: sh('trap "echo caught; exit 7" TERM; echo up; read line'),
    act: (child) => whenItSpeaks(child, () => child.kill('SIGTERM')),
  },
  {
    name: 'SIGKILL',
    words: sh('trap "" TERM; echo up; sleep 50'),
    act: (child) => whenItSpeaks(child, () => child.kill('SIGKILL')),
  },
  {name: 'input', words: ['cat', []], act: (child) => void child.stdin!.end('abc\n')},
  {name: 'no input', words: ['cat', []], options: () => ({stdio: ['ignore', 'pipe', 'pipe']})},
  {name: 'stdio ignored', words: sh('echo out; echo err >&2'), options: () => ({stdio: 'ignore'})},
  {
    name: 'a descriptor as a stream',
    words: sh('echo out; echo err >&2'),
    options: (folder) => {
      const descriptor = openSync(`${folder}/log`, 'w');
      return {stdio: ['ignore', descriptor, 'pipe'], close: () => closeSync(descriptor)};
    },
    look: (folder) => readFileSync(`${folder}/log`, 'utf8'),
  },
  {name: 'another folder', words: sh('basename "$PWD"'), options: () => ({cwd: 'below'})},
  {
    name: 'variables in the place of the usual ones',
    words: sh('echo "$GREETING ${HOME-none}"'),
    // Without SHLVL bash takes a socket on its stdin for one of a remote shell, and reads ~/.bashrc.
    options: () => ({env: {GREETING: 'hello', SHLVL: '1', PATH: process.env['PATH']}}),
  },
  {name: 'a timeout', words: sh('exec sleep 50'), options: () => ({timeout: 300})},
  {
    name: 'a timeout with a signal of its own',
    words: sh('trap "" TERM; exec sleep 50'),
    options: () => ({timeout: 300, killSignal: 'SIGKILL'}),
  },
  {
    name: 'a timeout with a signal that is handled',
    words: sh('trap "echo caught; exit 7" USR2; read line'),
    options: () => ({timeout: 1000, killSignal: 'SIGUSR2'}),
  },
  {
    name: 'a signal that aborts',
    words: sh('exec sleep 50'),
    options: () => ({signal: AbortSignal.timeout(300)}),
  },
  {
    name: 'a program that does not exist',
    words: ['no-such-program', ['x']],
    // A folder on PATH that this user may not search makes it EACCES for Node.
    options: () => ({env: {PATH: '/usr/bin:/bin'}}),
  },
  {name: 'many bytes', words: sh('head -c 3000000 /dev/zero | tr "\\0" x')},
  {name: 'bytes that are not text', words: ['printf', ['\\377\\000\\376']]},
  {name: 'a closed stdout', words: sh('exec >&-; echo err >&2; exit 4')},
  {name: 'a shell', words: ['echo $((1+1)); echo', ['"a  b"']], options: () => ({shell: '/bin/bash'})},
];

/** Returns the events in their order, and the text of the streams. */
async function traced(child: AnyChild, act: Case['act']): Promise<unknown> {
  const events: unknown[] = [];
  const texts: Record<string, string> = {};
  for (const name of ['stdout', 'stderr'] as const) {
    const stream: Readable | null = child[name];
    if (!stream) continue;
    texts[name] = '';
    stream.on('data', (chunk: Buffer) => (texts[name] += chunk.toString('latin1')));
  }
  for (const name of ['spawn', 'exit', 'close'])
    child.on(name, (...values: unknown[]) => events.push([name, ...values]));
  child.on('error', (error: Error & {code?: string}) => events.push(['error', error.name, error.code]));
  const over = new Promise((resolve) => child.once('close', resolve));
  act?.(child);
  await over;
  const {exitCode, signalCode, killed, connected, stdin, stdout, stderr} = child;
  const streams = [stdin, stdout, stderr].map((stream) => stream !== null);
  return {events, texts, exitCode, signalCode, killed, connected, streams, pid: typeof child.pid};
}

const none = (): Options => ({});

for (const {name, words, options = none, act, look} of cases) {
  test(`as child_process.spawn: ${name}`, async (t) => {
    const {session, work, home} = await opened(t, {'below/': ''});
    const {PATH, LANG} = process.env;
    const {close: closeMine, ...mine} = options(work);
    const inside = await traced(session.spawn(...words, mine), act);
    closeMine?.();
    const seenInside = look?.(work);
    const {close: closeTheirs, cwd = '.', ...theirs} = options(work);
    const outside = await traced(
      nodeSpawn(words[0], [...words[1]], {
        env: {HOME: home, PATH, LANG},
        ...(theirs as object),
        cwd: `${work}/${cwd}`,
      }),
      act,
    );
    closeTheirs?.();
    assert.deepEqual(inside, outside);
    assert.deepEqual(seenInside, look?.(work));
  });
}
