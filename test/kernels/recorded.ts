import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import type {Enforcement} from '../../src/sandbox/matrix/ways.ts';
import type {GuestReport, SeenColumn} from './report.ts';

/** The attacks on one promise: how many worked outside, and how many of these were refused inside. */
export interface Count {
  readonly level: Enforcement | 'refused';
  readonly held: number;
  readonly tried: number;
}

/**
 * results.json: the results of one user on one kernel. Each part has a date of its own, because a new run replaces only its
 * part.
 */
export interface Recorded {
  readonly kernel: string;
  readonly as: 'root' | 'user';
  readonly doctor?: {
    readonly date: string;
    readonly release: string;
    readonly exit: number | null;
    readonly levels: Readonly<Partial<Record<ProtectionId, Enforcement>>>;
  };
  readonly work?: {readonly date: string; readonly release: string; readonly failed: readonly string[]};
  /** Other spellings of names, on file systems that accept them. */
  readonly fileSystems?: {
    readonly date: string;
    readonly release: string;
    readonly commit: string;
    /** By the name of the file system: the attacks, with and without namespaces. */
    readonly tried: Readonly<Record<string, number>>;
    readonly problems: readonly string[];
  };
  readonly table?: {
    readonly date: string;
    readonly release: string;
    /** How many rows were run, and how many rows the whole table has for this user. */
    readonly run: number;
    readonly all: number;
    /** How many of the run rows were also tried outside on this kernel, where they succeeded. */
    readonly proven: number;
    /** The commit that was tested. */
    readonly commit?: string;
    readonly processors?: number;
    readonly counts: Readonly<Partial<Record<ProtectionId, Count>>>;
    readonly broken: readonly string[];
    /** Nothing to attack outside, so these rows show nothing. */
    readonly nothing: readonly string[];
  };
}

interface Run {
  readonly kernel: string;
  readonly date: string;
  readonly commit: string;
  /** The run included everyday work. */
  readonly worked: boolean;
}

/** Replaces the columns that the report contains. */
export function withReport(before: readonly Recorded[], report: GuestReport, run: Run): Recorded[] {
  const found = report.columns.map((column) => {
    const old = before.find((one) => isSame(one, run.kernel, column.as));
    return {...old, kernel: run.kernel, as: column.as, ...partsOf(column, report, run)};
  });
  const others = before.filter((one) => !found.some(({kernel, as}) => isSame(one, kernel, as)));
  return [...others, ...found].toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', {numeric: true}));
}

const nameOf = ({kernel, as}: Recorded): string => `${kernel} ${as}`;

const isSame = (one: Recorded, kernel: string, as: string): boolean => one.kernel === kernel && one.as === as;

function partsOf(
  {doctor, failed, fileSystems, results, attacks}: SeenColumn,
  {release, processors}: GuestReport,
  run: Run,
): Partial<Recorded> {
  const when = {date: run.date, release};
  return {
    ...(doctor?.protections
      ? {doctor: {...when, exit: doctor.code, levels: levelsOf(doctor.protections)}}
      : {}),
    ...(run.worked ? {work: {...when, failed}} : {}),
    ...(fileSystems ? {fileSystems: {...when, commit: run.commit, ...spellingsOf(fileSystems)}} : {}),
    ...(results
      ? {
          table: {
            ...when,
            commit: run.commit,
            processors,
            run: results.length,
            all: attacks ?? 0,
            proven: results.filter(({isProven}) => isProven).length,
            ...countsOf(results),
          },
        }
      : {}),
  };
}

type Seen<K extends keyof SeenColumn> = NonNullable<SeenColumn[K]>;

const levelsOf = (list: NonNullable<Seen<'doctor'>['protections']>): Record<string, Enforcement> =>
  Object.fromEntries(list.map(({id, level}) => [id, level]));

const spellingsOf = (
  all: Seen<'fileSystems'>,
): Pick<NonNullable<Recorded['fileSystems']>, 'tried' | 'problems'> => ({
  tried: Object.fromEntries(
    all.map(({name}) => [
      name,
      all.filter((one) => one.name === name).reduce((sum, {tried}) => sum + tried, 0),
    ]),
  ),
  problems: all.flatMap(({name, setting, problems}) => problems.map((one) => `${name}, ${setting}: ${one}`)),
});

function countsOf(
  results: Seen<'results'>,
): Pick<NonNullable<Recorded['table']>, 'counts' | 'broken' | 'nothing'> {
  const name = (one: {readonly protection: string; readonly name: string}): string =>
    `${one.protection}: ${one.name}`;
  const tried = results.filter(({verdict}) => verdict !== 'nothing to try');
  const ids = [...new Set(tried.map(({protection}) => protection))];
  return {
    counts: Object.fromEntries(
      ids.map((id) => {
        const of = tried.filter(({protection}) => protection === id);
        const level = of.find((one) => one.level !== 'refused')?.level ?? 'refused';
        return [id, {level, held: of.filter(({verdict}) => verdict === 'held').length, tried: of.length}];
      }),
    ),
    broken: results.filter(({verdict}) => verdict === 'broken').map(name),
    nothing: results.filter(({verdict}) => verdict === 'nothing to try').map(name),
  };
}

/** `3/3 · –`: as root, as a user. `–`: not run. */
export function countsFor(all: readonly Recorded[], kernel: string, id: ProtectionId): string {
  const counts = (['root', 'user'] as const).map((as) => {
    const count = all.find((one) => isSame(one, kernel, as))?.table?.counts[id];
    return count ? `${count.held}/${count.tried}` : '–';
  });
  return counts.every((count) => count === '–') ? '–' : counts.join(' · ');
}

/** One line per column: what was run there, and when. */
export function runsOf(all: readonly Recorded[]): string {
  return all.map((one) => `- Linux ${releaseOf(one)}, ${one.as}: ${partsAsText(one).join('; ')}.`).join('\n');
}

const releaseOf = ({kernel, doctor, work, fileSystems, table}: Recorded): string =>
  (table ?? doctor ?? work ?? fileSystems)?.release ?? kernel;

function partsAsText({doctor, work, fileSystems, table}: Recorded): string[] {
  return [
    table
      ? `${table.run} of ${table.all} attacks run (${table.date}${table.commit ? `, commit ${table.commit}` : ''}${table.processors === 1 ? ', on one processor' : ''}), ${table.proven} of them seen to get through outside there first, ${table.broken.length} broken${list(table.broken)}, ${table.nothing.length} with nothing to attack outside${list(table.nothing)}`
      : 'attacks not run',
    doctor ? `\`ion doctor\` exit ${doctor.exit} (${doctor.date})` : '`ion doctor` not recorded',
    work ? `everyday work: ${work.failed.length} failed (${work.date})` : 'everyday work not recorded',
    ...(fileSystems ? [spellingsAsText(fileSystems)] : []),
  ];
}

const spellingsAsText = ({tried, problems, date}: NonNullable<Recorded['fileSystems']>): string =>
  `other spellings of names, with and without namespaces: ${Object.entries(tried)
    .map(([name, count]) => `${count} attacks on ${name}`)
    .join(' and ')}, ${problems.length} problems${list(problems)} (${date})`;

const list = (names: readonly string[]): string => (names.length > 0 ? ` (${names.join(', ')})` : '');
