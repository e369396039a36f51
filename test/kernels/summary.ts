import {readFileSync, writeFileSync, existsSync} from 'node:fs';
import {enforcedBy, protections, type ProtectionId} from '../../src/sandbox/matrix.ts';
import {documented} from './documented.ts';
import type {GuestReport, SeenColumn} from './report.ts';

/** One kernel as it is kept for the documents: for each user and protection the level and what the attacks came to. */
export interface SeenKernel {
  readonly id: string;
  readonly of: string;
  readonly release: string;
  readonly users: Readonly<
    Record<
      'root' | 'user',
      Readonly<Record<ProtectionId, {level: string; by: string; held: number; tried: number}>>
    >
  >;
}

/** Everything that must not be, one line each. */
export function problemsOf({columns}: GuestReport, id: string): string[] {
  return columns.flatMap((column) =>
    [...problemsOfColumn(column), ...undocumented(column, id)].map((problem) => `${column.as}: ${problem}`),
  );
}

function problemsOfColumn({doctor, failed, results = [], failedControls = []}: SeenColumn): string[] {
  const broken = results.filter(({verdict}) => verdict === 'broken');
  const said = new Map(doctor?.protections?.map(({id, level, by}) => [id, `${level} ${by}`]));
  const differing = results.filter(
    ({protection, level, by}) =>
      level !== 'refused' && by && said.has(protection) && said.get(protection) !== `${level} ${by}`,
  );
  return [
    ...(doctor && doctor.code !== 0
      ? [`doctor: exit ${doctor.code} ${doctor.stderr.trim()} ${claimsThatFailed(doctor)}`]
      : []),
    ...failed.map((work) => `everyday work: ${work}`),
    ...failedControls.map((work) => `does not work: ${work}`),
    ...broken.map(({protection, name, by, detail}) => `BROKEN: ${protection}: ${name} [${by}]: ${detail}`),
    ...new Set(
      differing.map(
        ({protection, level, by}) =>
          `doctor and run differ: ${protection}: run ${level} ${by}, doctor ${said.get(protection)}`,
      ),
    ),
  ];
}

const claimsThatFailed = ({protections: list = []}: NonNullable<SeenColumn['doctor']>): string =>
  list
    .filter(({level, tried}) => level === 'enforced' && tried === 'failed')
    .map(({id}) => id)
    .join(' ');

/** The doctor's levels beside those of the matrix for the features that the documents give this kernel. */
function undocumented({doctor}: SeenColumn, id: string): string[] {
  const features = documented.find((one) => one.id === id)?.features;
  if (!features || !doctor?.protections) return [];
  const said = new Map(doctor.protections.map((one) => [one.id, one.level]));
  return enforcedBy(features)
    .filter((one) => said.get(one.id) !== one.level)
    .map((one) => `the documents say ${one.id}: ${one.level}, the doctor ${said.get(one.id)}`);
}

export function cellsOf(kernel: {readonly id: string; readonly of: string}, report: GuestReport): SeenKernel {
  const users = report.columns.map((column) => [
    column.as,
    Object.fromEntries(protections.map(({id}) => [id, cell(column, id)])),
  ]);
  return {
    id: kernel.id,
    of: kernel.of,
    release: report.release,
    users: Object.fromEntries(users) as SeenKernel['users'],
  };
}

function cell(
  {doctor, results = []}: SeenColumn,
  id: ProtectionId,
): {level: string; by: string; held: number; tried: number} {
  const tried = results.filter(({protection, verdict}) => protection === id && verdict !== 'nothing to try');
  const said = doctor?.protections?.find((one) => one.id === id);
  return {
    level: said?.level ?? 'not',
    by: said?.by ?? '',
    held: tried.filter(({verdict}) => verdict === 'held').length,
    tried: tried.length,
  };
}

/** Rows are promises, columns kernels and users. */
export function tableOf(
  all: readonly {readonly kernel: {readonly id: string; readonly of: string}; readonly report: GuestReport}[],
): string {
  const columns = all.flatMap(({kernel, report}) => report.columns.map((column) => ({kernel, column})));
  const head = ['promise', ...columns.map(({kernel, column}) => `${kernel.id}, ${column.as}`)];
  const body = protections.map(({id}) => [
    id,
    ...columns.map(({column}) => {
      const {level, held, tried} = cell(column, id);
      return `${level} ${held}/${tried}`;
    }),
  ]);
  return [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The kernels that were run now replace what was seen on them before. */
export function mergeSeen(file: string, now: readonly SeenKernel[]): void {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SeenKernel[]) : [];
  const kept = before.filter(({id}) => !now.some((one) => one.id === id));
  const order = (one: SeenKernel): number =>
    one.id === 'newest' ? Infinity : Number(one.id.split('.')[0]) * 1000 + Number(one.id.split('.')[1]);
  writeFileSync(
    file,
    `${JSON.stringify(
      [...kept, ...now].sort((a, b) => order(a) - order(b)),
      null,
      2,
    )}\n`,
  );
}
