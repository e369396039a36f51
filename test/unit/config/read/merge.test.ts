import {test} from 'node:test';
import assert from 'node:assert/strict';
import {stringify} from 'smol-toml';
import {defaultLayer} from '../../../../src/config/defaults.ts';
import type {Key, ResolvedValues} from '../../../../src/config/keys.ts';
import {withSections} from '../../../../src/config/server-sections.ts';
import {whyBound} from '../../../../src/config/loosening.ts';
import type {Layer} from '../../../../src/config/layer.ts';
import {parseLayer} from '../../../../src/config/read/parse-layer.ts';
import {merge, settingsOf} from '../../../../src/config/read/merge.ts';
import type {
  ApprovalMode,
  LayerKind,
  Origin,
  Rule,
  SandboxSetting,
  Sourced,
} from '../../../../src/config/settings.ts';
import {modeOutcome, offersRerun, skipsAskRules} from '../../../../src/config/approval-table.ts';
import {completeNetwork} from '../../../../src/config/network/join-networks.ts';
import {allows} from '../../../../src/config/network/match-network.ts';
import type {NetworkSetting} from '../../../../src/config/network/network-table.ts';
import {withLines} from '../scene.ts';
import {runsOf} from '../../../harness/extent.ts';
import {fc} from '../../../harness/property.ts';

/** The values that each key accepts, as TOML. */
const names = fc.constantFrom('a', 'b', 'c');
const commands = fc.array(fc.constantFrom('sudo *', 'git push *', 'rm *'), {maxLength: 3});
const paths = fc.array(fc.constantFrom('/a', '~/b', 'c', '/d'), {maxLength: 3});
const texts = fc.array(names, {maxLength: 3});
const variables = fc.dictionary(names, fc.constantFrom('1', '2'), {maxKeys: 2, noNullPrototype: true});
const numbers = fc.integer({min: 1, max: 5});
const contents: {readonly [K in Key]: fc.Arbitrary<unknown>} = {
  'permissions.mode': fc.constantFrom('read', 'write'),
  'permissions.read': fc.constantFrom('table', 'kernel'),
  'permissions.sandbox': fc.oneof(
    fc.constantFrom(true, false, 'require'),
    fc.record({require: fc.subarray(['writes', 'network', 'ipc'])}),
  ),
  'permissions.deny_commands': commands,
  'permissions.approval': fc.constantFrom(
    'never',
    'ask',
    'safe',
    'auto',
    'yolo',
    'default',
    'plan',
    'accept_edits',
    'dont_ask',
    'bypass_permissions',
    'on_failure',
  ),
  'permissions.locked': fc.boolean(),
  'permissions.trusted_environment': fc.array(fc.constantFrom('/a', 'name'), {maxLength: 2}),
  'permissions.denied_paths': paths,
  'permissions.trusted_paths': fc.array(fc.constantFrom('/a', '~/b'), {maxLength: 2}),
  'permissions.allowed_tools': texts,
  'permissions.auto_approve_patterns': commands,
  'permissions.frame': names,
  'permissions.rules': fc.array(
    fc.record({effect: fc.constantFrom('allow', 'ask', 'deny'), scope: fc.constant('tool'), match: names}),
    {maxLength: 3},
  ),
  'sandbox.read_roots': paths,
  'sandbox.write_roots': paths,
  'sandbox.protect': texts,
  'sandbox.unprotect': texts,
  'sandbox.workspace': fc.constantFrom('folder', 'repository'),
  'sandbox.processes': fc.constantFrom('own', 'shared'),
  'sandbox.tmp': fc.constantFrom('shared', 'private'),
  'sandbox.network': fc.oneof(
    fc.constantFrom('none', 'loopback', 'full'),
    fc.record(
      {
        allow: fc.subarray([
          'a.org',
          '*.a.org',
          '*',
          'tcp://a.org:22',
          'localhost:80',
          'tcp://10.0.0.0/8:22',
        ]),
        deny: fc.subarray(['b.a.org']),
        loopback: fc.boolean(),
      },
      {requiredKeys: []},
    ),
  ),
  'sandbox.unix_sockets': fc.array(fc.constantFrom('/a', '/b'), {maxLength: 2}),
  'sandbox.toolchains': fc.oneof(fc.constant('auto'), texts),
  'sandbox.report': fc.constantFrom('minimal', 'denials', 'all'),
  'sandbox.limits.timeout': numbers,
  'sandbox.limits.memory': numbers,
  'sandbox.limits.processes': numbers,
  'sandbox.limits.open_files': numbers,
  'sandbox.limits.file_size': numbers,
  'sandbox.limits.cpu': numbers,
  'sandbox.limits.disk': numbers,
  'environment.exclude': texts,
  'environment.keep': texts,
  'environment.set': variables,
  'audit.mode': fc.constantFrom('best-effort', 'required'),
  hooks: fc.array(fc.record({event: fc.constant('Stop'), command: names}), {maxLength: 2}),
  frames: variables,
};

function documentOf(values: Partial<Record<Key, unknown>>): string {
  const document: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const path = key.split('.');
    const last = path.pop()!;
    let table = document;
    for (const part of path) table = (table[part] ??= {}) as Record<string, unknown>;
    table[last] = value;
  }
  return stringify(document);
}

interface Sketch {
  readonly kind: LayerKind;
  readonly values: Partial<Record<Key, unknown>>;
}

const sketch: fc.Arbitrary<Sketch> = fc.record({
  kind: fc.constantFrom<LayerKind>('set', 'config-flag', 'project-local', 'project', 'user'),
  values: fc.record(contents, {requiredKeys: []}),
});

/** The file's name identifies the layer. */
function layerOf({kind, values}: Sketch, file: string, why?: string): Layer {
  const onlyTightens = why === undefined ? undefined : {why, help: 'trust it'};
  const content = parseLayer(documentOf(values), {kind, file, folder: '/w', home: '/h'});
  return {...content, kind, onlyTightens};
}

const defaults = defaultLayer(['/h']);
const resolve = (layers: readonly Layer[]) => merge([...layers, defaults]);

/** A stack of layers, some of which may only tighten, and a position for one more. */
const stacks = fc
  .tuple(fc.array(fc.tuple(sketch, fc.boolean()), {maxLength: 4}), sketch, fc.nat(4))
  .map(([others, extra, at]) => ({
    layers: others.map(([other, trusted], index) =>
      layerOf(other, `${index}.toml`, trusted ? undefined : 'untrusted'),
    ),
    extra,
    at: Math.min(at, others.length),
  }));

type Check<K extends Key> = (before: ResolvedValues[K], after: ResolvedValues[K]) => boolean;

const valuesOf = (list: readonly {value: unknown}[]) => list.map(({value}) => JSON.stringify(value));
const requiredOf = (value: SandboxSetting): number =>
  value === 'require' ? 3 : typeof value === 'object' ? 2 : Number(value);

const rank =
  <T>(...strictFirst: T[]) =>
  (before: Sourced<T>, after: Sourced<T>) =>
    strictFirst.indexOf(after.value) <= strictFirst.indexOf(before.value);
const reached = ['a.org', 'b.a.org', 'c.org', 'localhost'].flatMap((name) =>
  [22, 80, 443].map((port) => ({name, address: '10.0.0.1', port})),
);
const serves = (network: NetworkSetting): boolean =>
  network === 'full' || network === 'loopback' || (typeof network === 'object' && network.loopback);
const reachesNoMore = (
  before: ResolvedValues['sandbox.network'],
  after: ResolvedValues['sandbox.network'],
) => {
  const [had, has] = [completeNetwork(before.value), completeNetwork(after.value)];
  return (
    reached.every((target) => !allows(has, target) || allows(had, target)) &&
    (!serves(has) || serves(had)) &&
    (has !== 'full' || had === 'full')
  );
};
const superset = (before: readonly Sourced<string>[], after: readonly Sourced<string>[]) =>
  valuesOf(before).every((value) => valuesOf(after).includes(value));
const equal = (before: unknown, after: unknown) => JSON.stringify(before) === JSON.stringify(after);
const notMore = (before: Sourced<number> | undefined, after: Sourced<number> | undefined) =>
  before === undefined || (after !== undefined && after.value <= before.value);

const columns = ['read', 'edit', 'delete', 'shell', 'network', 'external', 'mcp'] as const;
const severity = {allow: 0, ask: 1, deny: 2};
const approvalNotLooser = ({value: before}: Sourced<ApprovalMode>, {value: after}: Sourced<ApprovalMode>) =>
  columns.every((column) => severity[modeOutcome(after, column)] >= severity[modeOutcome(before, column)]) &&
  (skipsAskRules(before) || !skipsAskRules(after)) &&
  (offersRerun(before) || !offersRerun(after));

/** "Allows no more" for every key, defined without the join table. */
const noLooser: {readonly [K in Key]: Check<K>} = {
  'permissions.mode': rank('read', 'write'),
  'permissions.read': rank('table', 'kernel'),
  'permissions.sandbox': ({value: before}, {value: after}) =>
    requiredOf(after) >= requiredOf(before) &&
    (typeof before !== 'object' ||
      after === 'require' ||
      (typeof after === 'object' && before.require.every((id) => after.require.includes(id)))),
  'permissions.deny_commands': superset,
  'permissions.approval': approvalNotLooser,
  'permissions.locked': ({value: before}, {value: after}) => after || !before,
  'permissions.trusted_environment': equal,
  'permissions.denied_paths': superset,
  'permissions.trusted_paths': equal,
  'permissions.allowed_tools': equal,
  'permissions.auto_approve_patterns': equal,
  'permissions.frame': equal,
  'permissions.rules': (before, after) =>
    before.every((rule) => after.some((kept) => equal(rule, kept))) &&
    equal(
      before.filter(({trusted}) => trusted),
      after.filter(({trusted}) => trusted),
    ) &&
    after.every(({trusted, effect}) => trusted || effect !== 'allow'),
  'sandbox.read_roots': equal,
  'sandbox.write_roots': equal,
  'sandbox.protect': superset,
  'sandbox.unprotect': equal,
  'sandbox.workspace': rank('folder', 'repository'),
  'sandbox.processes': rank('own', 'shared'),
  'sandbox.tmp': equal,
  'sandbox.network': reachesNoMore,
  'sandbox.unix_sockets': equal,
  'sandbox.toolchains': equal,
  'sandbox.report': rank('all', 'denials', 'minimal'),
  'sandbox.limits.timeout': notMore,
  'sandbox.limits.memory': notMore,
  'sandbox.limits.processes': notMore,
  'sandbox.limits.open_files': notMore,
  'sandbox.limits.file_size': notMore,
  'sandbox.limits.cpu': notMore,
  'sandbox.limits.disk': notMore,
  'environment.exclude': superset,
  'environment.keep': equal,
  'environment.set': equal,
  'audit.mode': rank('required', 'best-effort'),
  hooks: equal,
  frames: equal,
};
const keys = Object.keys(noLooser) as Key[];

function check<K extends Key>(key: K, before: ResolvedValues, after: ResolvedValues): void {
  const values = `${JSON.stringify(before[key])} -> ${JSON.stringify(after[key])}`;
  assert.ok(noLooser[key](before[key], after[key]), `${key} allows more: ${values}`);
}

test('merge: an untrusted layer never allows more, whatever key it sets and wherever it is', () => {
  fc.assert(
    fc.property(stacks, ({layers, extra, at}) => {
      const before = resolve(layers).values;
      const after = resolve(layers.toSpliced(at, 0, layerOf(extra, 'extra.toml', 'untrusted'))).values;
      for (const key of keys) check(key, before, after);
    }),
    {numRuns: runsOf(1000)},
  );
});

/** The names of keys in a section `[mcp.<name>]`. Keys that a section does not have are left out. */
function sectionOf(values: Partial<Record<Key, unknown>>): Partial<Record<Key, unknown>> {
  const named = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (/^permissions\.(?:mode|read|deny_commands|denied_paths)$/.test(key) || key.startsWith('sandbox.'))
      return [[`mcp.x.${key.slice(key.indexOf('.') + 1)}`, value]];
    return key.startsWith('environment.') ? [[`mcp.x.${key}`, value]] : [];
  });
  return Object.fromEntries(named) as Partial<Record<Key, unknown>>;
}

test('merge: the section of an MCP server in an untrusted layer never allows more, wherever the layer is', () => {
  let loosened = 0;
  fc.assert(
    fc.property(stacks, ({layers, extra, at}) => {
      const section = {...extra, values: sectionOf(extra.values)};
      const put = (why?: string) =>
        resolve(withSections(layers.toSpliced(at, 0, layerOf(section, 'extra.toml', why)), 'X')).values;
      const before = resolve(layers).values;
      const after = put('untrusted');
      for (const key of keys) check(key, before, after);
      if (JSON.stringify(put()) !== JSON.stringify(after)) loosened++;
    }),
    {numRuns: runsOf(1000)},
  );
  assert.ok(loosened > 0, 'the sections must be read');
});

test('merge: a section of another server, and the section without a server, change nothing', () => {
  const layer = layerOf({kind: 'user', values: {'mcp.x.network': 'full'} as never}, 'a.toml');
  const network = (server: string) => resolve(withSections([layer], server)).values['sandbox.network'].value;
  assert.equal(resolve([layer]).values['sandbox.network'].value, 'none');
  assert.equal(network('y'), 'none');
  assert.equal(network('X'), 'full');
});

/** Like "allows no more", except that a layer may add a hook that only forbids and stays in the sandbox. */
function checkBound(before: ResolvedValues, after: ResolvedValues): void {
  for (const key of keys) if (key !== 'hooks') check(key, before, after);
  const added = after.hooks.slice(0, after.hooks.length - before.hooks.length);
  assert.ok(added.every(({onlyForbids, sandbox}) => onlyForbids && sandbox));
  assert.deepEqual(after.hooks.slice(added.length), before.hooks);
}

test('merge: an untrusted network table between a trusted table and a trusted word allows no more', () => {
  const layers = [
    layerOf({kind: 'user', values: {'sandbox.network': {}}}, '0.toml'),
    layerOf({kind: 'set', values: {'sandbox.network': 'full'}}, '1.toml'),
  ];
  const extra = layerOf(
    {kind: 'set', values: {'sandbox.network': {allow: ['*.a.org']}}},
    'extra.toml',
    'untrusted',
  );
  check('sandbox.network', resolve(layers).values, resolve(layers.toSpliced(1, 0, extra)).values);
});

test('merge: under a lock no layer above it allows more, whatever key it sets: flags, --config, trusted ones', () => {
  const kinds: readonly LayerKind[] = [
    'flag',
    'set',
    'config-flag',
    'environment',
    'grants',
    'project',
    'user',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom('machine' as const, 'user' as const),
      sketch,
      fc.array(fc.tuple(fc.constantFrom(...kinds), sketch), {maxLength: 4}),
      (by, locking, above) => {
        const lock = {by, origin: {layer: by, file: 'lock.toml', line: 1}};
        const base = layerOf({...locking, kind: by}, 'lock.toml');
        const bound = above
          .filter(([kind]) => by === 'machine' || kind !== 'user')
          .map(([kind, one], index): Layer => {
            const layer = layerOf({...one, kind}, `${index}.toml`);
            return {...layer, onlyTightens: whyBound(kind, lock)};
          });
        checkBound(resolve([base]).values, resolve([...bound, base]).values);
      },
    ),
    {numRuns: runsOf(500)},
  );
});

/** Every origin in a value. */
function originsOf(value: unknown): Origin[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('origin' in value) return [value.origin as Origin];
  return Object.values(value).flatMap(originsOf);
}

test('merge: every value has the origin of a layer that sets its key', () => {
  fc.assert(
    fc.property(stacks, ({layers, extra, at}) => {
      const all = layers.toSpliced(at, 0, layerOf(extra, 'extra.toml'));
      const {values} = resolve(all);
      for (const key of keys) {
        for (const {file, line, layer} of originsOf(values[key])) {
          const source = all.find((one) => originsOf(one.values[key]).some((origin) => origin.file === file));
          if (file === undefined) assert.equal(layer, 'default');
          else assert.ok(source && line! >= 1, `${key} comes from ${file}, which does not hold it`);
        }
        assert.ok(values[key] !== undefined || all.every((one) => one.values[key] === undefined), key);
      }
    }),
    {numRuns: runsOf(200)},
  );
});

test('merge: an additional layer never removes an entry of a list, nor its origin', () => {
  const lists = keys.filter((key) => Array.isArray(defaults.values[key]));
  fc.assert(
    fc.property(stacks, fc.boolean(), ({layers, extra, at}, trusted) => {
      const before = resolve(layers).values;
      const added = layerOf(extra, 'extra.toml', trusted ? undefined : 'untrusted');
      const after = resolve(layers.toSpliced(at, 0, added)).values;
      for (const key of lists) {
        const left = (after[key] as unknown[]).map((item) => JSON.stringify(item));
        for (const item of before[key] as unknown[]) assert.ok(left.includes(JSON.stringify(item)), key);
      }
    }),
    {numRuns: runsOf(200)},
  );
});

test('merge: each value of an untrusted layer is used, changes nothing, or is listed as ignored', () => {
  fc.assert(
    fc.property(stacks, ({layers, extra, at}) => {
      const added = layerOf(extra, 'extra.toml', 'untrusted');
      const before = resolve(layers).values;
      const {values, ignored} = resolve(layers.toSpliced(at, 0, added));
      // In a real stack only flags and --config are above it. Here trusted layers above may hide what it tightened.
      if (at > 0) return;
      for (const key of keys) {
        if (added.values[key] === undefined) continue;
        const listed = ignored.some(
          (one) => one.origin.file === 'extra.toml' && `${one.key}.`.startsWith(`${key}`),
        );
        const taken = originsOf(values[key]).some(({file}) => file === 'extra.toml');
        const nothingNew = equal(before[key], values[key]);
        assert.ok(listed || taken || nothingNew, key);
        if (!taken && !listed) {
          const wanted = added.values[key] as {value?: unknown};
          const had = before[key] as {value?: unknown};
          const same =
            key === 'sandbox.network'
              ? reachesNoMore(before[key], added.values[key]!)
              : equal(wanted.value, had.value);
          assert.ok(same || Object.keys(wanted).length === 0, key);
        }
      }
    }),
    {numRuns: runsOf(300)},
  );
});

test('merge: of trusted layers the highest wins, key by key', () => {
  const single = keys.filter(
    (key) =>
      key !== 'sandbox.network' && // tables unite: network.test.ts
      !Array.isArray(defaults.values[key]) &&
      // A lock applies in any layer, and tables are merged.
      !['environment.set', 'frames', 'permissions.locked'].includes(key),
  );
  fc.assert(
    fc.property(fc.array(sketch, {maxLength: 4}), (sketches) => {
      const layers = sketches.map((one, index) => layerOf(one, `${index}.toml`));
      const {values, ignored} = resolve(layers);
      for (const key of single) {
        const highest = layers.find((layer) => layer.values[key] !== undefined) ?? defaults;
        assert.deepEqual(values[key], highest.values[key]);
      }
      const own = ['permissions.locked', 'permissions.trusted_environment'];
      assert.deepEqual(
        ignored.filter(({key}) => !own.includes(key)),
        [],
      );
    }),
    {numRuns: runsOf(100)},
  );
});

const origin = (file: string, line: number): Origin => ({layer: 'project', file, line});

test('merge: ignored values are shown as written, with their lines', () => {
  const text = [
    '[permissions]',
    'sandbox = false',
    'allowed_tools = [',
    '  "bash"]',
    '[[permissions.rules]]',
    'effect = "deny"',
    'scope = "tool"',
    'match = "x"',
    '[[permissions.rules]]',
    'effect = "allow"',
    'scope = "tool"',
    'match = "y"',
    '[sandbox.limits]',
    'timeout = "2h"',
    '[environment.set]',
    'A = "1\\u001b"',
  ].join('\n');
  const source = {kind: 'project' as const, file: 'p.toml', folder: '/w', home: '/h'};
  const project: Layer = {
    ...parseLayer(text, source),
    kind: 'project',
    onlyTightens: {why: 'not trusted', help: 'trust it'},
  };
  const user: Layer = layerOf({kind: 'user', values: {'sandbox.limits.timeout': '1h'}}, 'u.toml');
  const {values, ignored} = resolve([project, user]);
  assert.deepEqual(withLines(ignored), [
    {
      key: 'permissions.sandbox',
      value: 'false',
      written: false,
      origin: origin('p.toml', 2),
      why: 'not trusted',
      help: 'trust it',
    },
    {
      key: 'permissions.allowed_tools',
      value: '["bash"]',
      written: ['bash'],
      origin: origin('p.toml', 4),
      why: 'not trusted',
      help: 'trust it',
    },
    {
      key: 'permissions.rules[1]',
      value: '{ effect = "allow", scope = "tool", match = "y" }',
      written: {effect: 'allow', scope: 'tool', match: 'y'},
      origin: origin('p.toml', 9),
      why: 'not trusted',
      help: 'trust it',
    },
    {
      key: 'sandbox.limits.timeout',
      value: '"2h"',
      written: '2h',
      origin: origin('p.toml', 14),
      why: 'not trusted',
      help: 'trust it',
    },
    {
      key: 'environment.set.A',
      value: '"1\\u001b"',
      written: '1\u001b',
      origin: origin('p.toml', 16),
      why: 'not trusted',
      help: 'trust it',
    },
  ]);
  assert.deepEqual(
    settingsOf(values).rules.map(({match, trusted}: Rule) => ({match, trusted})),
    [{match: 'x', trusted: false}],
  );
});

test('merge: flags and --config come last, also over an untrusted project', () => {
  const project = layerOf(
    {kind: 'project', values: {'permissions.mode': 'read', 'sandbox.network': 'none'}},
    'p',
    'no',
  );
  const config = layerOf({kind: 'config-flag', values: {'sandbox.network': 'full'}}, 'c');
  const {values} = resolve([config, project]);
  assert.equal(values['sandbox.network'].value, 'full');
  assert.equal(values['permissions.mode'].value, 'read');
});

/** One line for every setting that can only be tightened. */
const tightenings: {key: Key; user: unknown; project: unknown; want: unknown}[] = [
  {key: 'permissions.mode', user: 'write', project: 'read', want: 'read'},
  {key: 'permissions.mode', user: 'read', project: 'write', want: 'read'},
  {key: 'permissions.sandbox', user: false, project: true, want: true},
  {key: 'permissions.sandbox', user: true, project: 'require', want: 'require'},
  {key: 'permissions.sandbox', user: 'require', project: false, want: 'require'},
  {key: 'permissions.approval', user: 'safe', project: 'ask', want: 'ask'},
  {key: 'permissions.approval', user: 'safe', project: 'accept_edits', want: 'accept_edits'},
  {key: 'permissions.approval', user: 'ask', project: 'safe', want: 'ask'},
  {key: 'permissions.approval', user: 'yolo', project: 'bypass_permissions', want: 'yolo'},
  {key: 'permissions.deny_commands', user: ['a'], project: ['b'], want: ['b', 'a']},
  {key: 'permissions.denied_paths', user: ['/a'], project: ['/b'], want: ['/b', '/a']},
  {key: 'sandbox.protect', user: ['a'], project: ['b'], want: ['b', 'a']},
  {key: 'environment.exclude', user: ['A'], project: ['B'], want: ['B', 'A']},
  {key: 'sandbox.network', user: 'full', project: 'loopback', want: 'loopback'},
  {key: 'sandbox.network', user: 'loopback', project: 'none', want: 'none'},
  {key: 'sandbox.limits.memory', user: 4096, project: 1024, want: 1024},
  {key: 'sandbox.limits.memory', user: 1024, project: 4096, want: 1024},
  {key: 'sandbox.report', user: 'denials', project: 'all', want: 'all'},
  {key: 'sandbox.report', user: 'denials', project: 'minimal', want: 'denials'},
  {key: 'audit.mode', user: 'best-effort', project: 'required', want: 'required'},
];
for (const {key, user, project, want} of tightenings) {
  test(`merge: ${key} = ${JSON.stringify(user)}, and ${JSON.stringify(project)} from an untrusted project`, () => {
    const layers = [
      layerOf({kind: 'project', values: {[key]: project}}, 'p.toml', 'untrusted'),
      layerOf({kind: 'user', values: {[key]: user}}, 'u.toml'),
    ];
    const value = merge([...layers, {...defaults, values: {...defaults.values, [key]: undefined}}]).values[
      key
    ];
    const got = Array.isArray(value)
      ? value.map((one: Sourced<unknown>) => one.value)
      : (value as Sourced<unknown>).value;
    assert.deepEqual(got, want);
  });
}

test('merge: a limit that only an untrusted project sets applies', () => {
  const project = layerOf({kind: 'project', values: {'sandbox.limits.cpu': '10s'}}, 'p.toml', 'untrusted');
  assert.deepEqual(withLines(settingsOf(resolve([project]).values).limits.cpuSeconds), {
    value: 10,
    origin: origin('p.toml', 2),
  });
});

test('merge: if two layers set one variable, the higher one wins', () => {
  const high = layerOf({kind: 'project', values: {'environment.set': {A: 'high', B: 'high'}}}, 'h.toml');
  const low = layerOf({kind: 'user', values: {'environment.set': {A: 'low', C: 'low'}}}, 'l.toml');
  const set = resolve([high, low]).values['environment.set'];
  assert.deepEqual(
    Object.entries(set)
      .map(([name, {value}]) => `${name}=${value}`)
      .sort(),
    ['A=high', 'B=high', 'C=low'],
  );
});
