// Paired measurements: each round runs every contestant once, so that a slow moment of the machine affects all of them.
import {spawnSync} from 'node:child_process';

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

// A certificate file that Node reads at start costs 28 ms on Node 20. It is not part of the measurement.
export const environment = {...process.env};
delete environment.NODE_EXTRA_CA_CERTS;
delete environment.NODE_OPTIONS;

/** A command without effect that ion cannot prove harmless, so that ion looks for toolchains. */
export const nothing = 'if true; then true; fi';

/** The milliseconds of one run. Throws when it does not exit with 0. */
export function time(command, args, options = {}) {
  const before = process.hrtime.bigint();
  run(command, args, options);
  return Number(process.hrtime.bigint() - before) / 1e6;
}

/**
 * The milliseconds of a script's work (since `restart`, if it contains that word), measured by the bash that runs it. So
 * the start of the sandbox is not included. `through` makes the words that run a script.
 */
export function timeOfWork(script, through, cwd) {
  const microseconds = '${EPOCHREALTIME/[.,]/}';
  const timed = `restart() { from=${microseconds}; }; restart; { ${script}; } || exit; echo "work: $((${microseconds} - from))" >&2`;
  const [command, ...args] = through(timed);
  return Number(/^work: (\d+)$/m.exec(run(command, args, {cwd}))[1]) / 1e3;
}

/** Returns the text on stderr. */
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

/**
 * Takes contestants by name, each a function that returns milliseconds, and returns the milliseconds of each round. The
 * first round is not measured.
 */
export function compare(contestants, rounds) {
  const names = Object.keys(contestants);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) contestants[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) times[name].push(contestants[name]());
  }
  return times;
}

/** The printed rows. */
export class Report {
  rows = [];

  /** The result is the median of the ratios of all rounds. */
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

  /** The result is the median of the differences of all rounds. */
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
