// Paired measurements: in each round every contestant runs once, so that a slow moment of the machine hits all of them.
import {spawnSync} from 'node:child_process';

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

// A certificate file that Node reads at start costs 28 ms on Node 20: not what is measured here.
export const environment = {...process.env};
delete environment.NODE_EXTRA_CA_CERTS;
delete environment.NODE_OPTIONS;

/** A command that does nothing, and that ion takes for one that may start anything: it looks for toolchains then. */
export const nothing = 'if true; then true; fi';

/** Milliseconds of one run. Throws when it does not end with 0. */
export function time(command, args, options = {}) {
  const before = process.hrtime.bigint();
  run(command, args, options);
  return Number(process.hrtime.bigint() - before) / 1e6;
}

/**
 * Milliseconds that the work of a script takes (since `restart`, if it has that word), as the bash that does it tells: without the start of what runs it, which a
 * difference of two runs would have to be cleared of. `through` makes the words that run a script.
 */
export function timeOfWork(script, through, cwd) {
  const microseconds = '${EPOCHREALTIME/[.,]/}';
  const timed = `restart() { from=${microseconds}; }; restart; { ${script}; } || exit; echo "work: $((${microseconds} - from))" >&2`;
  const [command, ...args] = through(timed);
  return Number(/^work: (\d+)$/m.exec(run(command, args, {cwd}))[1]) / 1e3;
}

/** Returns what was written to stderr. */
function run(command, args, options) {
  const {status, error, stderr} = spawnSync(command, args, {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}\n${stderr}`}`);
  return stderr.toString();
}

/** Contestants by name, each a function that gives milliseconds → the milliseconds of each round. One round goes unmeasured. */
export function compare(contestants, rounds) {
  const names = Object.keys(contestants);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) contestants[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) times[name].push(contestants[name]());
  }
  return times;
}

/** The rows that are printed. */
export class Report {
  rows = [];

  /** A ratio is the median of the ratios of each round. */
  ratio(what, subject, [against, others], goal = '') {
    const ratios = subject.map((ms, round) => ms / others[round]);
    this.row(
      what,
      median(subject).toFixed(1),
      against,
      median(others).toFixed(1),
      median(ratios).toFixed(2),
      goal,
    );
  }

  /** A difference is the median of the differences of each round. */
  difference(what, subject, [against, others], goal = '') {
    const more = median(subject.map((ms, round) => ms - others[round]));
    const signed = `${more < 0 ? '' : '+'}${more.toFixed(2)} ms`;
    this.row(what, median(subject).toFixed(1), against, median(others).toFixed(1), signed, goal);
  }

  row(what, value, against, base, ratio, goal = '') {
    this.rows.push({what, ms: value, against, 'against ms': base, ratio, goal});
  }

  markdown() {
    const lines = this.rows.map((row) => `| ${Object.values(row).join(' | ')} |`);
    return [
      '| what | median ms | against | median ms | ratio | goal |',
      '| --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n');
  }
}
