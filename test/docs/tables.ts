import {readFileSync} from 'node:fs';
import {presets} from 'ion:presets';
import {noFeatures, type Features} from '../../src/sandbox/matrix/features.ts';
import {enforcedBy, protections} from '../../src/sandbox/matrix/matrix.ts';
import {promiseOf} from '../../src/sandbox/matrix/promises.ts';
import type {Enforcement} from '../../src/sandbox/matrix/ways.ts';
import {linuxFeatures} from '../harness/features.ts';
import {documented} from '../kernels/documented.ts';
import {countsFor, runsOf, type Recorded} from '../kernels/recorded.ts';

/** Results on real kernels, from `npm run kernels -- record`. */
export const recorded = JSON.parse(readFileSync('test/kernels/results.json', 'utf8')) as readonly Recorded[];

interface Machine {
  readonly name: string;
  readonly features: Features;
  /** Set if root sees other features. */
  readonly asRoot?: Features;
  /** A kernel of kernels.mjs, for the counts of attacks that were run on it. */
  readonly kernel?: string;
}

/** The machines that the documents distinguish. */
const machines: readonly Machine[] = [
  ...documented.map(({id, features}) => ({
    name: `Linux ${id === 'newest' ? '7.3' : id} (root · user)`,
    features: features.user,
    asRoot: features.root,
    kernel: id,
  })),
  {
    name: 'default Docker (filter)',
    features: {
      ...linuxFeatures,
      landlock: 11,
      namespaces: 'none',
      pidNamespace: false,
      pidfdGetfd: false,
      root: true,
    },
  },
  {
    name: 'Ubuntu 24.04, as a user (filter)',
    features: {...linuxFeatures, landlock: 11, namespaces: 'none', pidNamespace: false},
  },
  {name: 'mounts, no Landlock (filter)', features: {...linuxFeatures, landlock: 0}},
  {name: 'macOS (evaluated)', features: {...noFeatures, seatbelt: true}},
  {name: 'neither', features: noFeatures},
];

const signs: Readonly<Record<Enforcement, string>> = {enforced: 'yes', 'best effort': 'partly', not: 'no'};

/** The table of what each machine enforces, made from the enforcement matrix. */
export function enforcementTable(): string {
  const columns = machines.map(({features, asRoot = features, kernel}) => ({
    kernel,
    levels: [enforcedBy(asRoot), enforcedBy(features)],
  }));
  const head = ['promise', ...machines.map(({name}) => name)];
  const body = protections.map(({id}, row) => [
    promiseOf(id).replaceAll('|', '\\|'),
    ...columns.map(({kernel, levels}) => {
      const sign = [...new Set(levels.map((one) => signs[one[row]!.level]))].join(' · ');
      return kernel === undefined ? sign : `${sign} ${countsFor(recorded, kernel, id)}`;
    }),
  ]);
  return [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The table of toolchains, made from the presets. */
export function toolchainTable(): string {
  const code = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(' ');
  const body = presets
    .filter(({cache}) => cache.length > 0)
    .map(({name, tools, programs, markers: files, cache, closed}) => [
      name,
      tools,
      code([...programs, ...files]),
      code([...new Set(cache.map(({variable}) => variable))]),
      code(closed.map(({path}) => path)),
    ]);
  const head = ['preset', 'for', 'found by', 'caches of its own by', 'never readable'];
  return [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const places = [
  {
    begin: '<!-- runs on real kernels: made by "npm run readme" -->',
    end: '<!-- end of the runs -->',
    table: () => runsOf(recorded),
  },
  {
    begin: '<!-- enforcement table: made by "npm run readme" -->',
    end: '<!-- end of the table -->',
    table: enforcementTable,
  },
  {
    begin: '<!-- toolchain table: made by "npm run readme" -->',
    end: '<!-- end of the toolchain table -->',
    table: toolchainTable,
  },
];

/** Each table is in one document. */
export const tableMarks: readonly string[] = places.map(({begin}) => begin);

/** The document with its tables as the code defines them now. */
export function withTables(document: string): string {
  return places.reduce((text, {begin, end, table}) => {
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to === -1) return text;
    return `${text.slice(0, from)}${begin}
${table()}
${text.slice(to)}`;
  }, document);
}
