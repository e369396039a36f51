import assert from 'node:assert/strict';
import {test} from 'node:test';
import {allows, entryFor, matchesName} from '../../../src/config/network/match-network.ts';
import {completeNetwork, meetNetworks} from '../../../src/config/network/join-networks.ts';
import {isProblem, parseEntry, type EntryOptions} from '../../../src/config/network/entry-text.ts';
import {
  networkKey,
  wordOf,
  type NetworkEntry,
  type NetworkLayer,
  type NetworkSetting,
  type NetworkWord,
} from '../../../src/config/network/network-table.ts';
import {defaultLayer} from '../../../src/config/defaults.ts';
import type {Layer} from '../../../src/config/layer.ts';
import {merge} from '../../../src/config/read/merge.ts';
import type {LayerKind} from '../../../src/config/settings.ts';
import {runsOf} from '../../harness/extent.ts';
import {mergeLayers, problemOf} from './network-support.ts';
import {fc} from '../../harness/property.ts';

const origin = {layer: 'default'} as const;

function entry(text: string, options: EntryOptions = {}): NetworkEntry {
  const parsed = parseEntry(text, options);
  if (isProblem(parsed)) throw new Error(`${text}: ${parsed.must}`);
  return {...parsed, origin};
}

for (const [text, want] of [
  ['example.org', {pattern: 'example.org', kind: 'name', ports: [443], tcp: false}],
  ['Example.ORG.', {pattern: 'example.org', value: 'example.org'}],
  ['bücher.example', {pattern: 'xn--bcher-kva.example'}],
  ['*.example.org:443', {pattern: '*.example.org', kind: 'below', ports: [443], value: '*.example.org'}],
  ['example.org:80', {ports: [80], value: 'example.org:80'}],
  ['*', {pattern: '*', kind: 'any', ports: [80, 443], value: '*'}],
  ['tcp://github.com:22', {pattern: 'github.com', ports: [22], tcp: true, value: 'tcp://github.com:22'}],
  ['tcp://10.0.0.5:5432', {pattern: '10.0.0.5/32', kind: 'address', value: 'tcp://10.0.0.5:5432'}],
  ['tcp://[FD00::1]:5432', {pattern: 'fd00::1/128', kind: 'address', value: 'tcp://[fd00::1]:5432'}],
  ['tcp://10.1.0.0/16:9092', {pattern: '10.1.0.0/16', kind: 'address', value: 'tcp://10.1.0.0/16:9092'}],
  ['localhost:5432', {pattern: 'localhost', kind: 'localhost', ports: [5432], value: 'localhost:5432'}],
] as const) {
  test(`network entry: ${text}`, () => {
    const parsed = entry(text);
    for (const [field, value] of Object.entries(want))
      assert.deepEqual(parsed[field as keyof NetworkEntry], value, field);
    assert.deepEqual(entry(parsed.value), parsed, 'the short form means the same');
  });
}

const keyOf = (allow: readonly NetworkEntry[], deny: readonly string[] = [], loopback = false): string =>
  networkKey({allow, deny: deny.map((value) => ({value, origin})), loopback});
const moved = {...entry('example.org'), origin: {layer: 'user', file: '/h/c.toml', line: 9}} as const;
for (const [what, other, same] of [
  ['the same entry on another line', keyOf([moved]), true],
  ['another port', keyOf([entry('example.org:80')]), false],
  ['any protocol', keyOf([entry('tcp://example.org:443')]), false],
  ['private addresses', keyOf([entry('example.org', {private: true})]), false],
  ['encrypted server names', keyOf([entry('example.org', {ech: true})]), false],
  ['a denied name', keyOf([moved], ['a.example.org']), false],
  ['servers of the run', keyOf([moved], [], true), false],
  ['a word', networkKey('none'), false],
] as const) {
  test(`the key of a network: ${what}`, () => assert.equal(other === keyOf([entry('example.org')]), same));
}

const at = ' --> c.toml:1\n';
for (const [text, want] of [
  [
    'example.org:0',
    'must name ports between 1 and 65535: "example.org:0"\n --> c.toml:1\nhelp: for example: "example.org:443"',
  ],
  [
    'example.org:53',
    'must not name port 53: "example.org:53"\n --> c.toml:1\nhelp: ion answers name queries itself: leave the port out',
  ],
  [
    'example.org:x',
    'must end with a port number: "example.org:x"\n --> c.toml:1\nhelp: for example: "example.org:443"',
  ],
  [
    'https://example.org/x',
    'must be a name with a port, without this scheme, not "https://example.org/x"\n --> c.toml:1\nhelp: write: "example.org"',
  ],
  [
    'ssh://git@example.org',
    'must be a name with a port, without this scheme, not "ssh://git@example.org"\n --> c.toml:1\nhelp: write: "tcp://example.org:22"',
  ],
  ['a.*.org', 'must have "*" only as the whole first label: "a.*.org"\n --> c.toml:1\nhelp: write: "*.org"'],
  [
    '*x.example.org',
    'must have "*" only as the whole first label: "*x.example.org"\n --> c.toml:1\nhelp: write: "*.example.org"',
  ],
  [
    '10.0.0.1',
    'must be a name: an address needs a scheme, not "10.0.0.1"\n --> c.toml:1\nhelp: write: "tcp://10.0.0.1:5432"',
  ],
  [
    'tcp://example.org',
    'must name a port: "tcp://example.org"\n --> c.toml:1\nhelp: for example: "tcp://example.org:22"',
  ],
  [
    'exa mple.org',
    'must be a name of letters, digits, "-", "_" and dots, not "exa mple.org"\n --> c.toml:1\nhelp: for example: "example.org"',
  ],
  [
    '',
    'must be a name of letters, digits, "-", "_" and dots, not ""\n --> c.toml:1\nhelp: for example: "example.org"',
  ],
  [
    'a..b',
    'must be a name of letters, digits, "-", "_" and dots, not "a..b"\n --> c.toml:1\nhelp: for example: "example.org"',
  ],
] as const) {
  test(`network entry: an error for "${text}"`, () => {
    assert.equal(
      problemOf(`sandbox.network.allow = [${JSON.stringify(text)}]`),
      `ion: sandbox.network.allow[0] ${want}\n`,
    );
  });
}

test('network: an unknown key of the table and of an entry', () => {
  assert.equal(
    problemOf('sandbox.network = {alow = ["x.org"]}'),
    `ion: unknown key "sandbox.network.alow"\n${at}help: did you mean "allow"?\n`,
  );
  assert.match(problemOf('sandbox.network.allow = [{name = "x.org", port = 1}]'), /did you mean "ports"\?/);
});

for (const {name, layers, want} of [
  {
    name: 'a table adds to a table below',
    layers: [
      ['project', 'allow = ["a.org"]'],
      ['user', 'allow = ["b.org"]'],
    ],
    want: 'a.org b.org',
  },
  {
    name: 'a table takes the place of a word below',
    layers: [
      ['project', 'allow = ["a.org"]'],
      ['user', '"full"'],
    ],
    want: 'a.org',
  },
  {
    name: 'a word takes the place of a table below',
    layers: [
      ['project', '"none"'],
      ['user', 'allow = ["b.org"]'],
    ],
    want: 'none',
  },
  {
    name: 'replace',
    layers: [
      ['project', 'allow = ["a.org"]\nreplace = true'],
      ['user', 'allow = ["b.org"]'],
    ],
    want: 'a.org',
  },
  {
    name: '+= on none',
    layers: [
      ['set', 'allow = ["a.org"]'],
      ['user', '"none"'],
    ],
    want: 'a.org',
  },
  {
    name: '+= on loopback',
    layers: [
      ['set', 'allow = ["a.org"]'],
      ['user', '"loopback"'],
    ],
    want: 'a.org loopback',
  },
  {
    name: '+= on full',
    layers: [
      ['set', 'allow = ["a.org"]'],
      ['user', '"full"'],
    ],
    want: 'full',
  },
  {
    name: 'a grant on a table',
    layers: [
      ['grants', 'allow = ["a.org"]'],
      ['user', 'allow = ["b.org"]'],
    ],
    want: 'a.org b.org',
  },
  {
    name: 'a table takes the place of "full", also after an untrusted table',
    layers: [
      ['config-flag', 'allow = ["a.org"]'],
      ['project', 'allow = ["b.org"]\ndeny = ["c.org"]', 'untrusted'],
      ['user', '"full"'],
    ],
    want: 'a.org not c.org',
  },
  {
    name: 'a table takes the place of "loopback", also after an untrusted table',
    layers: [
      ['config-flag', 'allow = ["a.org"]'],
      ['project', 'deny = ["c.org"]\nloopback = true', 'untrusted'],
      ['user', '"loopback"'],
    ],
    want: 'a.org not c.org',
  },
  {
    name: 'a table takes the place of "full", also after an untrusted "loopback"',
    layers: [
      ['config-flag', 'allow = ["a.org"]'],
      ['project', '"loopback"', 'untrusted'],
      ['user', '"full"'],
    ],
    want: 'a.org',
  },
  {
    name: '+= on what an untrusted table left of "full"',
    layers: [
      ['set', 'allow = ["a.org"]'],
      ['project', 'allow = ["b.org"]', 'untrusted'],
      ['user', '"full"'],
    ],
    want: 'a.org b.org',
  },
  {
    name: '+= on an untrusted "none"',
    layers: [
      ['set', 'allow = ["a.org"]'],
      ['project', '"none"', 'untrusted'],
      ['user', 'allow = ["a.org", "b.org"]'],
    ],
    want: 'a.org',
  },
] as const) {
  test(`network join: ${name}`, () => assert.equal(mergeLayers(layers), want));
}

const patterns = ['a.org', 'b.a.org', '*.a.org', '*.b.a.org', '*'];
const entries: fc.Arbitrary<NetworkEntry> = fc.oneof(
  fc
    .record({
      pattern: fc.constantFrom(...patterns),
      ports: fc.subarray([22, 80, 443], {minLength: 1}),
      tcp: fc.boolean(),
      private: fc.boolean(),
      ech: fc.boolean(),
    })
    .map(({pattern, tcp, ...options}) => ({...entry(pattern, options), tcp})),
  fc.constantFrom(
    ...[
      'tcp://10.0.0.0/8:22',
      'tcp://10.1.0.0/16:22',
      'tcp://10.1.2.3:80',
      'localhost:22',
      'localhost:80',
    ].map((text) => entry(text)),
  ),
);
const networks: fc.Arbitrary<NetworkWord | NetworkLayer> = fc.oneof(
  fc.constantFrom<NetworkWord>('none', 'loopback', 'full'),
  fc.record(
    {
      allow: fc.array(entries, {maxLength: 3}),
      deny: fc.array(
        fc.constantFrom('a.org', '*.a.org').map((value) => ({value, origin})),
        {maxLength: 1},
      ),
      loopback: fc.boolean(),
    },
    {requiredKeys: []},
  ),
);
const targets = [
  ...['a.org', 'b.a.org', 'c.b.a.org', 'x.org', 'localhost'].map((name) => ({name})),
  ...['10.1.2.3', '10.1.9.9', '10.9.9.9', '11.0.0.1'].map((address) => ({address})),
].flatMap((target) =>
  [22, 80, 443].flatMap((port) =>
    [{}, {tcp: true}, {private: true}, {ech: true}].map((flags) => ({...target, ...flags, port})),
  ),
);

const serves = (network: NetworkSetting): boolean =>
  network === 'full' || network === 'loopback' || (typeof network === 'object' && network.loopback);

test('network join: an untrusted table makes nothing allowed, and takes nothing that both allow', () => {
  fc.assert(
    fc.property(networks, networks, (one, other) => {
      const met = completeNetwork(meetNetworks(one, other));
      const [first, second] = [completeNetwork(one), completeNetwork(other)];
      for (const target of targets) {
        const both = allows(first, target) && allows(second, target);
        if (allows(met, target)) assert.ok(both, JSON.stringify({target, met}));
      }
      const rank = ['none', 'loopback', 'full'];
      if (typeof met === 'string')
        assert.ok(
          rank.indexOf(met) <= rank.indexOf(wordOf(first)) || first === 'full' || typeof first === 'object',
        );
    }),
    {numRuns: 2000},
  );
});

/** Layers that set the network, in an order that may or may not occur in practice. */
const stacked = fc.record({
  kind: fc.constantFrom<LayerKind>('set', 'grants', 'config-flag', 'user'),
  value: networks,
  trusted: fc.boolean(),
  replaces: fc.boolean(),
});

function joined(layers: readonly Layer[]): NetworkSetting {
  return completeNetwork(merge([...layers, defaultLayer(['/h'])]).values['sandbox.network'].value);
}

test('network join: an untrusted layer in a stack makes nothing allowed', () => {
  fc.assert(
    fc.property(fc.array(stacked, {maxLength: 4}), networks, fc.nat(4), (others, extra, at) => {
      const layers = others.map(({kind, value, trusted, replaces}): Layer => ({
        ...{kind, document: {sandbox: {network: {}}}, replaces},
        values: {'sandbox.network': {value, origin: {layer: kind}}},
        onlyTightens: trusted ? undefined : {why: 'untrusted', help: 'trust it'},
      }));
      const added: Layer = {
        ...{kind: 'project', document: {sandbox: {network: {}}}},
        values: {'sandbox.network': {value: extra, origin: {layer: 'project'}}},
        onlyTightens: {why: 'untrusted', help: 'trust it'},
      };
      const [before, after] = [joined(layers), joined(layers.toSpliced(at, 0, added))];
      for (const target of targets)
        assert.ok(!allows(after, target) || allows(before, target), JSON.stringify({target, after}));
      assert.ok(!serves(after) || serves(before), JSON.stringify(after));
    }),
    {numRuns: runsOf(10_000)},
  );
});

test('network: a pattern matches names below it, at any depth, and not itself', () => {
  for (const [pattern, name, want] of [
    ['a.org', 'a.org', true],
    ['a.org', 'b.a.org', false],
    ['*.a.org', 'a.org', false],
    ['*.a.org', 'b.a.org', true],
    ['*.a.org', 'c.b.a.org', true],
    ['*.a.org', 'ba.org', false],
    ['*', 'a.org', true],
  ] as const)
    assert.equal(matchesName(pattern, name), want, `${pattern} ${name}`);
});

test('network: deny wins over allow, on all ports', () => {
  const network = {allow: [entry('*.a.org')], deny: [{value: 'b.a.org', origin}], loopback: false};
  assert.equal(entryFor(network, {name: 'b.a.org', port: 443}), undefined);
  assert.equal(entryFor(network, {name: 'c.a.org', port: 443})?.value, '*.a.org');
  assert.equal(entryFor(network, {name: 'c.a.org', port: 80}), undefined);
});
