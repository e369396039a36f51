import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {isWhole} from './extent.ts';
import {identities, own, plain, testers, type Identity} from './identity.ts';
import {checkInProcess, refuseInProcess} from './in-process.ts';
import {requireProgram} from './must-run.ts';
import {runIon, type Ended, type RunSpec} from './run.ts';
import {makeScratch, type Files, type Scratch} from './scratch.ts';

/** One run of ion, with its files, its arguments and its exact results. */
export interface Case extends Omit<RunSpec, 'as'> {
  readonly name: string;
  readonly files?: Files;
  readonly args: readonly string[];
  /** 0 if absent. `stdout` and `stderr` are exact, with `{root}`, `{home}` and `{work}` for the scratch folders. */
  readonly code?: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
  /** The case is skipped where one of these programs is missing. */
  readonly needs?: readonly string[];
  /** Builds or installs for seconds: only in the whole suite. */
  readonly isSlow?: true;
  /** Runs only as this identity; otherwise once for each identity. */
  readonly only?: Identity['name'];
  readonly before?: (scratch: Scratch, as: Identity) => void | Promise<void>;
  readonly after?: (scratch: Scratch, ended: Ended, as: Identity) => void | Promise<void>;
}

/** Tests for a table of cases, each for each of `testers`. */
export function testCases(area: string, cases: readonly Case[]): void {
  for (const one of cases) testAs(one.only ? identities : testers, area, [one]);
}

/** The same for cases that do not depend on the user: reading, decisions and messages. */
export function testOnce(area: string, cases: readonly Case[]): void {
  testAs([plain], area, cases);
}

/** The same for rows of `ion check`, each in the process of the test. */
export function testChecks(area: string, cases: readonly Case[]): void {
  testAs([own], area, cases, checkInProcess);
}

/**
 * For cases in which ion refuses before a command runs, with a message and an exit code of its own. In `npm test` each runs in
 * the process of the test; in the whole suite as the built command.
 */
export function testRefusals(area: string, cases: readonly Case[]): void {
  if (isWhole) return testCases(area, cases);
  testAs([own], area, cases, refuseInProcess);
}

function testAs(whom: readonly Identity[], area: string, cases: readonly Case[], run = runIon): void {
  for (const one of cases.filter(({isSlow}) => isWhole || !isSlow)) {
    for (const as of whom.filter(({name}) => !one.only || one.only === name)) {
      test(`${area}: ${one.name} (${as.name})`, async (t) => runCase(t, one, as, run));
    }
  }
}

async function runCase(t: TestContext, one: Case, as: Identity, run: typeof runIon): Promise<void> {
  if (!requireProgram(t, ...(one.needs ?? []))) return;
  const scratch = makeScratch(t, as, one.files);
  await one.before?.(scratch, as);
  const args = one.args.map((word) => filledIn(word, scratch));
  const cwd = one.cwd === undefined ? scratch.work : filledIn(one.cwd, scratch);
  const env = Object.fromEntries(
    Object.entries(one.env ?? {}).map(([name, value]) => [name, value && filledIn(value, scratch)]),
  );
  const ended = await run(scratch, args, {...one, as, cwd, env});
  const shown = JSON.stringify(ended, undefined, 2);
  assert.equal(ended.signal, null, shown);
  assert.equal(ended.code, one.code ?? 0, shown);
  compare(ended.stdout, one.stdout ?? '', scratch);
  compare(ended.stderr, one.stderr ?? '', scratch);
  await one.after?.(scratch, ended, as);
}

function compare(text: string, want: string | RegExp, scratch: Scratch): void {
  if (typeof want === 'string') assert.equal(text, filledIn(want, scratch));
  else assert.match(text, want);
}

function filledIn(text: string, {root, home, work}: Scratch): string {
  return text.replaceAll('{root}', root).replaceAll('{home}', home).replaceAll('{work}', work);
}
