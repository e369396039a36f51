import {enforcedBy, protections, type ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import {documented} from './documented.ts';
import type {GuestReport, SeenColumn} from './report.ts';

/** Every failure, one line each. */
export function problemsOf({columns}: GuestReport, id: string): string[] {
  return columns.flatMap((column) =>
    [...problemsOfColumn(column), ...undocumented(column, id)].map((problem) => `${column.as}: ${problem}`),
  );
}

function problemsOfColumn({
  doctor,
  failed,
  fileSystems = [],
  results = [],
  failedControls = [],
}: SeenColumn): string[] {
  const broken = results.filter(({verdict}) => verdict === 'broken');
  const said = new Map(doctor?.protections?.map(({id, level, by}) => [id, `${level} ${by}`]));
  // Doctor adds what a run said of itself.
  const agrees = (of: string, run: string): boolean => of === run || of.startsWith(`${run}; `);
  const differing = results.filter(({protection, level, by}) => {
    const of = said.get(protection);
    return level !== 'refused' && by && of !== undefined && !agrees(of, `${level} ${by}`);
  });
  return [
    ...(doctor && doctor.code !== 0
      ? [`doctor: exit ${doctor.code} ${doctor.stderr.trim()} ${claimsThatFailed(doctor)}`]
      : []),
    ...failed.map((work) => `everyday work: ${work}`),
    ...fileSystems.flatMap(({name, setting, problems}) =>
      problems.map((problem) => `${name}, ${setting}: ${problem}`),
    ),
    ...failedControls.map((work) => `does not work: ${work}`),
    ...broken.map(({protection, name, by, detail}) => `BROKEN: ${protection}: ${name} [${by}]: ${detail}`),
    ...results
      .filter(({verdict, detail}) => verdict === 'held' && detail.startsWith('exit 124'))
      .map(({protection, name, detail}) => `shows nothing: ${protection}: ${name}: ${detail}`),
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

/** The doctor's levels, compared with the matrix for the features that the documents state for this kernel. */
function undocumented({doctor, as}: SeenColumn, id: string): string[] {
  const features = documented.find((one) => one.id === id)?.features[as];
  if (!features || !doctor?.protections) return [];
  const said = new Map(doctor.protections.map((one) => [one.id, one.level]));
  return enforcedBy(features)
    .filter((one) => said.get(one.id) !== one.level)
    .map((one) => `the documents say ${one.id}: ${one.level}, the doctor ${said.get(one.id)}`);
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

/** The rows are promises, the columns kernels and users. */
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
