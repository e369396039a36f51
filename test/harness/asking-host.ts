import assert from 'node:assert/strict';
import path from 'node:path';
import type {TestContext} from 'node:test';
import {own, type Identity} from './identity.ts';
import {skip} from './must-run.ts';
import {openWorld} from './network-world.ts';
import {repository} from './package.ts';
import {makeScratch} from './scratch.ts';

/** A program that uses the library. It prints what it was asked, and how the command ended. */
const host = `
const {open} = await import(process.env.ION_LIBRARY);
const {command, andThen = [], allow = ['plain.example:80'], answers, askTimeout, slow = 0, killAfter, timeout} = JSON.parse(process.env.ION_CASE);
const settings = {
  permissions: {approval: 'auto', rules: [{effect: 'allow', scope: 'tool', match: 'bash'}]},
  sandbox: {network: {allow, deny: ['down.example']}},
};
const asked = [];
const onAsk = async (question) => {
  const name = /"(.*?)" on port 443/.exec(question.message)[1];
  asked.push({name, answers: question.answers});
  const answer = answers[name];
  if (killAfter) setTimeout(() => running.kill('SIGTERM'), killAfter);
  if (slow) await new Promise((resolve) => setTimeout(resolve, slow));
  return answer === 'never' ? new Promise(() => {}) : answer;
};
const session = await open({settings, layers: false, askTimeout, ...(answers ? {onAsk} : {})});
const events = [];
const reading = (async () => { for await (const event of session.events()) events.push(event); })();
let running, all = '', last;
for (const one of [command, ...andThen]) {
  running = session.spawn(one, {stdio: ['ignore', 'pipe', 'pipe'], ...(timeout ? {timeout} : {})});
  last = await running.catch((error) => error);
  all += last.stdout;
}
const {stderr, exitCode, denials} = last;
await session.close();
await reading;
console.log(JSON.stringify({asked, stdout: all, stderr, exitCode, denials, events}));
`;

export interface HostedCase {
  readonly command: string;
  /** Further commands of the same session. */
  readonly andThen?: readonly string[];
  /** The entries of the table. */
  readonly allow?: readonly string[];
  /** Milliseconds before an answer. */
  readonly slow?: number;
  /** Milliseconds after the question: the program ends the command. */
  readonly killAfter?: number;
  readonly timeout?: number;
  /** By name. Absent: the program answers no questions. */
  readonly answers?: Readonly<Record<string, 'once' | 'session' | 'no' | 'never'>>;
  readonly askTimeout?: number;
}

export interface HostedResult {
  readonly asked: readonly {readonly name: string; readonly answers: readonly string[]}[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly denials: readonly {readonly rule?: string; readonly path?: string; readonly count?: number}[];
  readonly events: readonly (Readonly<Record<string, unknown>> & {readonly type: string})[];
}

export async function hosted(
  t: TestContext,
  given: HostedCase,
  as: Identity = own,
): Promise<HostedResult | undefined> {
  const scratch = makeScratch(t, as, {'host.mjs': host});
  const world = await openWorld(scratch, as);
  if (typeof world === 'string') {
    skip(t, world);
    return undefined;
  }
  const {stdout, stderr} = await world.ion([], {
    program: path.join(scratch.work, 'host.mjs'),
    env: {ION_CASE: JSON.stringify(given), ION_LIBRARY: path.join(repository, 'lib/index.mjs')},
  });
  try {
    return JSON.parse(stdout) as HostedResult;
  } catch {
    return assert.fail(stdout + stderr);
  }
}

export const names = ({asked}: HostedResult): string[] => asked.map(({name}) => name);
export const refused = ({denials}: HostedResult): string[] => denials.map((one) => `${one.rule} ${one.path}`);
export const show = (result: HostedResult): string =>
  JSON.stringify({...result, events: undefined}, undefined, 1);
