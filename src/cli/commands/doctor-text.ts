import type {BackendName, Machine} from '../../sandbox/machine.ts';
import {untestedKernel} from '../../sandbox/linux/kernel-release.ts';
import type {Row} from '../../doctor/try-protections.ts';
import type {Enforcement} from '../../sandbox/matrix/ways.ts';

export interface Report {
  readonly backend: BackendName;
  readonly machine: Pick<Machine, 'features' | 'missing'>;
  /** The version of Linux, as `uname -r` prints it. */
  readonly kernel?: string | undefined;
  readonly rows: readonly Row[];
  /** How each limit is enforced, by its name in the config. */
  readonly limits: Readonly<Record<string, string>>;
}

/** Longer lines are harder to read. */
const maxWidth = 100;
const minWidth = 40;

/** The report for people: the verdict, what failed, then a line for each protection, the weakest first. Pure. */
export function doctorText(
  {backend, machine, kernel, rows, limits}: Report,
  terminalWidth = maxWidth,
): string {
  const width = Math.max(minWidth, Math.min(maxWidth, terminalWidth));
  const failed = rows.filter(hasFailed);
  const others = rows.filter((row) => !hasFailed(row));
  const margin =
    Math.max(0, ...[...rows.map(({id}) => id), ...Object.keys(limits)].map((name) => name.length)) + 4;
  const groups = [
    section(
      'failed',
      failed.flatMap((row) => failure(row, margin, width)),
    ),
    ...levels.map(({level, title}) => {
      const ofLevel = others.filter((row) => row.level === level);
      return section(
        `${title} (${ofLevel.length})`,
        ofLevel.map((row) => line(row.id, detail(row), margin, width)),
      );
    }),
    section(
      'limits, when they are set',
      Object.entries(limits).map(([name, by]) => line(name, by, margin, width)),
    ),
  ];
  const untested = kernel === undefined ? undefined : untestedKernel(kernel);
  const head = [verdict(rows), ...(untested ? [untested] : []), summary(backend, machine)].flatMap((text) =>
    wrap(text, width),
  );
  const end = ['', ...wrap('"ion doctor --json" prints each promise and every note in full', width)];
  return `${[...head, ...groups.flat(), ...end].join('\n')}\n`;
}

/** A missing protection claims nothing, so it cannot fail. */
export function hasFailed({level, tried}: Row): boolean {
  return tried === 'failed' && level !== 'not';
}

const levels: readonly {readonly level: Enforcement; readonly title: string}[] = [
  {level: 'not', title: 'not there'},
  {level: 'best effort', title: 'best effort'},
  {level: 'enforced', title: 'enforced'},
];

function verdict(rows: readonly Row[]): string {
  const failed = rows.filter(hasFailed);
  const broken = failed.filter(({level}) => level === 'enforced').length;
  if (broken > 0) return `${count(broken, 'protection')} failed: do not rely on ion here`;
  if (failed.length > 0)
    return `every enforced protection held; ${count(failed.length, 'best-effort protection')} failed`;
  return 'every tested protection held';
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function summary(backend: BackendName, {features, missing}: Report['machine']): string {
  const {landlock, seccomp, listener, namespaces} = features;
  const filter = seccomp ? `seccomp${listener ? ' with a supervisor' : ''}` : 'no seccomp';
  return [
    `backend ${backend}`,
    landlock > 0 ? `Landlock ABI ${landlock}` : 'no Landlock',
    filter,
    namespaces === 'none' ? 'no namespaces' : `namespaces of ${namespaces === 'root' ? 'root' : 'the user'}`,
    ...(missing === undefined ? [] : [`native part: ${missing}`]),
  ].join(', ');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

/** The mechanism of a protection. For a missing protection, what is missing. */
function detail({level, by, promise, tried, why}: Row): string {
  const what = level === 'not' ? [promise, by].filter(Boolean).join('; ') : by;
  return tried === 'not tried' ? `not tried: ${why ?? ''}; ${what}` : what;
}

function failure({id, level, by, promise}: Row, margin: number, width: number): string[] {
  const lines = [
    ...wrap(promise, width - margin),
    ...wrap(`an attack succeeded (${level}: ${by})`, width - margin),
  ];
  return lines.map((text, index) => `${(index === 0 ? `  ${id}` : '').padEnd(margin)}${text}`);
}

function line(name: string, text: string, margin: number, width: number): string {
  return `${`  ${name}`.padEnd(margin)}${fitted(text, width - margin)}`.trimEnd();
}

/**
 * Cuts text that does not fit and ends it with "…": after a comma or a parenthesis if there is one, else after a
 * word.
 */
function fitted(text: string, width: number): string {
  if (text.length <= width) return text;
  const cut = text.slice(0, width - 1);
  const end = cut.lastIndexOf(' ');
  const whole = text[cut.length] === ' ' ? cut : cut.slice(0, Math.max(end, 0));
  return `${whole.replace(/[\s(,;:]+$/, '')}…`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
