import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {identities, plain, type Identity} from './identity.ts';
import {requireProgram} from './must-run.ts';
import {runIon, type Ended, type RunSpec} from './run.ts';
import {makeScratch, type Files, type Scratch} from './scratch.ts';

/** One run of ion, stated whole: what lies there, what is typed, what comes out. */
export interface Case extends Omit<RunSpec, 'as'> {
  readonly name: string;
  readonly files?: Files;
  readonly args: readonly string[];
  /** 0 when absent. `stdout` and `stderr` are exact, with `{root}`, `{home}` and `{work}` for the scratch folders. */
  readonly code?: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
  /** Programs without which the case is skipped. */
  readonly needs?: readonly string[];
  /** Only as this one; else once for each identity. */
  readonly only?: Identity['name'];
  readonly before?: (scratch: Scratch, as: Identity) => void | Promise<void>;
  readonly after?: (scratch: Scratch, ended: Ended, as: Identity) => void | Promise<void>;
}

/** Tests for a table of cases: each as root and as an unprivileged user where both are to be had. */
export function testCases(area: string, cases: readonly Case[]): void {
  testAs(identities, area, cases);
}

/** The same where nothing depends on who runs it: what is read, decided and said. */
export function testOnce(area: string, cases: readonly Case[]): void {
  testAs([plain], area, cases);
}

function testAs(whom: readonly Identity[], area: string, cases: readonly Case[]): void {
  for (const one of cases) {
    for (const as of whom.filter(({name}) => !one.only || one.only === name)) {
      test(`${area}: ${one.name} (${as.name})`, async (t) => runCase(t, one, as));
    }
  }
}

async function runCase(t: TestContext, one: Case, as: Identity): Promise<void> {
  if (!requireProgram(t, ...(one.needs ?? []))) return;
  const scratch = makeScratch(t, as, one.files);
  await one.before?.(scratch, as);
  const args = one.args.map((word) => filledIn(word, scratch));
  const cwd = one.cwd === undefined ? scratch.work : filledIn(one.cwd, scratch);
  const env = Object.fromEntries(
    Object.entries(one.env ?? {}).map(([name, value]) => [name, value && filledIn(value, scratch)]),
  );
  const ended = await runIon(scratch, args, {...one, as, cwd, env});
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
