// How the cost of a start grows with the number of files in the workspace, rules, and concurrent runs.
import {spawn} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {compare, environment, time} from './measure.mjs';

export function byFiles({report, ion, scratch, rounds, node}) {
  const folders = [10, 1_000, 100_000].map((count) => [count, workspaceOf(scratch, count)]);
  const times = compare(
    Object.fromEntries(
      folders.map(([count, cwd]) => [`${count} files`, () => time(node, [ion, 'run', 'true'], {cwd})]),
    ),
    rounds,
  );
  const [[first, base], ...others] = Object.entries(times);
  for (const [name, list] of others) report.difference(`start with ${name}`, list, [first, base], '<= +1 ms');
}

/** A repository with this many files, a hundred per folder. */
function workspaceOf(scratch, count) {
  const top = path.join(scratch, `files-${count}`);
  mkdirSync(path.join(top, '.git'), {recursive: true});
  for (let at = 0; at < count; at++) {
    const folder = path.join(top, `d${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(folder);
    writeFileSync(path.join(folder, `f${at}`), '');
  }
  return top;
}

/** A config with this many globs and rules. None of them matches the command that runs. */
function configWith({globs = 0, rules = 0}) {
  const patterns = Array.from({length: globs}, (_, at) => `"program${at} *"`);
  const tables = Array.from(
    {length: rules},
    (_, at) => `[[permissions.rules]]\neffect = "deny"\nscope = "command_prefix"\nmatch = "other${at} sub"\n`,
  );
  return `[permissions]\ndeny_commands = [${patterns.join(', ')}]\n${tables.join('')}`;
}

const many = [100, 1_000, 10_000];

export function byRules({report, ion, scratch, rounds, node, configFile}) {
  const start = (amount) => {
    const file = configFile(configWith(amount));
    return () => time(node, [ion, 'run', '--config', file, 'true'], {cwd: scratch});
  };
  const contestants = {
    'an empty config': start({}),
    ...Object.fromEntries(
      many.flatMap((count) => [
        [`${count} globs`, start({globs: count})],
        [`${count} rules`, start({rules: count})],
        [`${count} globs and rules`, start({globs: count, rules: count})],
      ]),
    ),
  };
  const [[first, base], ...others] = Object.entries(compare(contestants, Math.min(rounds, 15)));
  for (const [name, list] of others) report.difference(`start with ${name}`, list, [first, base], '');
}

/** How the cost of an execution grows with the number of rules to compare. */
export function byGlobs({report, ion, scratch, rounds, node, configFile}) {
  const loop = 'for ((at = 0; at < 1000; at++)); do /bin/true; done';
  const contestants = [1, ...many].map((count) => {
    const file = configFile(configWith({globs: count}));
    return [`${count} globs`, () => time(node, [ion, 'run', '--config', file, loop], {cwd: scratch})];
  });
  const [[first, base], ...others] = Object.entries(
    compare(Object.fromEntries(contestants), Math.min(rounds, 7)),
  );
  for (const [name, list] of others)
    report.difference(`1000 x fork and exec, ${name}`, list, [first, base], '');
}

export async function byRuns({report, ion, scratch, node}) {
  const alone = await together(1, {ion, scratch, node});
  for (const count of [10, 100]) {
    const ms = await together(count, {ion, scratch, node});
    const each = `${((count / ms) * 1000).toFixed(0)} a second`;
    report.row(`${count} runs at once`, ms.toFixed(1), 'one run', alone.toFixed(1), each);
  }
}

async function together(count, {ion, scratch, node}) {
  const before = process.hrtime.bigint();
  const one = () =>
    new Promise((resolve, reject) => {
      const child = spawn(node, [ion, 'run', 'true'], {cwd: scratch, env: environment, stdio: 'ignore'});
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))));
    });
  await Promise.all(Array.from({length: count}, one));
  return Number(process.hrtime.bigint() - before) / 1e6;
}
