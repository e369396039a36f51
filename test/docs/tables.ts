import {
  enforcedBy,
  noFeatures,
  protections,
  type Enforcement,
  type Features,
} from '../../src/sandbox/matrix.ts';

const linux: Features = {
  landlock: 7,
  seccomp: true,
  namespaces: 'user',
  listener: true,
  pidfdGetfd: true,
  launcher: true,
};

/** The machines that the README tells apart. */
const machines: readonly {readonly name: string; readonly features: Features}[] = [
  {name: 'Linux 6.15', features: linux},
  {name: 'the same in default Docker', features: {...linux, namespaces: 'none', pidfdGetfd: false}},
  {name: 'Linux 5.15', features: {...linux, landlock: 1, listener: false}},
  {name: 'Linux without Landlock', features: {...linux, landlock: 0}},
  {name: 'macOS (evaluated)', features: {...noFeatures, seatbelt: true}},
  {name: 'neither', features: noFeatures},
];

const signs: Readonly<Record<Enforcement, string>> = {enforced: 'yes', 'best effort': 'partly', not: 'no'};

/** The README's table of what holds where, from the enforcement matrix itself. */
export function enforcementTable(): string {
  const columns = machines.map(({features}) => enforcedBy(features));
  const head = ['promise', ...machines.map(({name}) => name)];
  const body = protections.map(({promise}, row) => [
    promise.replaceAll('|', '\\|'),
    ...columns.map((column) => signs[column[row]!.level]),
  ]);
  return [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

export const markers = {
  begin: '<!-- enforcement table: made by "npm run readme" -->',
  end: '<!-- end of the table -->',
} as const;

/** The README with its table as the matrix has it now. */
export function withTable(readme: string): string {
  const [begin, end] = [readme.indexOf(markers.begin), readme.indexOf(markers.end)];
  if (begin === -1 || end === -1) throw new Error('the README has no place for the table');
  return `${readme.slice(0, begin)}${markers.begin}\n${enforcementTable()}\n${readme.slice(end)}`;
}
