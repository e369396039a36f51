// Prints measurements whose goals are absolute: milliseconds, or records per second. Each is given by wall time and by this
// process's CPU time, which other work on the machine changes less.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {appendWithoutAddon} from '../../src/audit/append.ts';
import {canonicalJson} from '../../src/audit/canonical.ts';
import type {AppendFunction} from '../../src/sandbox/linux/native.ts';
import {verifyLog} from '../../src/audit/verify-log.ts';
import type {Rule} from '../../src/config/settings.ts';
import {decide} from '../../src/policy/decide.ts';
import {analyze} from '../../src/shell/parse/analyze.ts';
import {bash, inUserFile, sourced, stateWith} from '../unit/policy/support.ts';

const [, , packageRoot = ''] = process.argv;
const scratch = mkdtempSync(path.join(tmpdir(), 'ion-figures-'));
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));

interface Times {
  readonly clock: readonly number[];
  readonly cpu: readonly number[];
}

/** The milliseconds of each round, sorted. The first rounds warm up. */
function measure(rounds: number, work: (round: number) => unknown): Times {
  const clock: number[] = [];
  const cpu: number[] = [];
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    const [before, used] = [performance.now(), process.cpuUsage()];
    work(round);
    const {user, system} = process.cpuUsage(used);
    if (round < 0) continue;
    clock.push(performance.now() - before);
    cpu.push((user + system) / 1000);
  }
  return {clock: clock.toSorted((a, b) => a - b), cpu: cpu.toSorted((a, b) => a - b)};
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)]!;
const rows: Record<string, string>[] = [];

function report(what: string, goal: string, {clock, cpu}: Times): void {
  const shown = (ms: number): string => ms.toFixed(3);
  rows.push({
    what,
    'median ms': shown(at(clock, 0.5)),
    'p99 ms': shown(at(clock, 0.99)),
    'CPU median ms': shown(at(cpu, 0.5)),
    goal,
  });
}

const rule = (index: number): Rule => ({
  effect: index % 3 === 0 ? 'deny' : 'ask',
  scope: index % 2 === 0 ? 'command_prefix' : 'path',
  match: index % 2 === 0 ? `tool${index} sub` : `/home/u/ws/dir${index}`,
  source: 'user',
  origin: inUserFile(index),
  trusted: true,
});
const state = stateWith({
  rules: Array.from({length: 1000}, (_, index) => rule(index)),
  denyCommands: Array.from({length: 1000}, (_, index) => sourced(`deny${index} *`, inUserFile(index))),
});
const actions = ['git status && make -C dir test', 'npm run build', 'cat a b c | grep x > out'].map((text) =>
  bash(text),
);
report(
  'a decision with 1,000 rules and 1,000 deny_commands',
  '< 1',
  measure(2000, (round) => decide(actions[Math.abs(round) % actions.length]!, state)),
);

const scripts = {
  'short commands': 'mkdir -p build/out && cp src/a.c build/out/ && gcc -O2 -o build/out/a build/out/a.c\n',
  'control flow':
    'if [ -f "$file" ]; then\n  echo "found $file" | head -n 5\nelse\n  for i in a b; do rm -f "$i.o"; done\nfi\n',
  'long lines':
    'npm run build --workspace packages/core -- --mode production --out-dir dist/packages/core # one line\n',
};
for (const [name, unit] of Object.entries(scripts)) {
  const text = Buffer.from(unit.repeat(Math.floor((1024 * 1024) / unit.length))).toString();
  report(
    `analyze 1 MB: ${name}`,
    '< 200',
    measure(20, () => analyze(text)),
  );
}

function addonAppend(): AppendFunction {
  const loaded = {exports: {} as {auditAppend: AppendFunction}};
  process.dlopen(loaded, path.join(packageRoot, 'native/build/Release/ion.node'));
  return loaded.exports.auditAppend;
}

const event = canonicalJson({type: 'test', text: 'x'.repeat(400), n: 1});
const large = 1 << 30;
for (const [name, append] of [
  ['native', addonAppend()],
  ['without the addon', appendWithoutAddon],
] as const) {
  const folder = path.join(scratch, name);
  report(
    `audit append, ${name}`,
    'p99 < 1',
    measure(3000, () => append(folder, [event], large, false)),
  );
}

const log = path.join(scratch, 'verify');
const records = 200_000;
const append = addonAppend();
for (let index = 0; index < records; index += 1000)
  append(log, Array<string>(1000).fill(event), large, false);
const verified = measure(3, () => {
  if (verifyLog(log).records !== records) throw new Error('the log does not hold');
});
rows.push({
  what: 'audit verify, records a second',
  'median ms': String(Math.round((records / at(verified.clock, 0.5)) * 1000)),
  'p99 ms': '',
  'CPU median ms': String(Math.round((records / at(verified.cpu, 0.5)) * 1000)),
  goal: '>= 100000',
});

console.table(rows);
