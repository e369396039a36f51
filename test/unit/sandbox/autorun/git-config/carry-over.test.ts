import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseGitConfig} from '../../../../../src/sandbox/autorun/git-config/parse-git-config.ts';
import {isInert} from '../../../../../src/sandbox/autorun/git-config/inert-keys.ts';
import {carryOver} from '../../../../../src/sandbox/autorun/git-config/carry-over.ts';
import {changedKeys, forbiddenChanges} from '../../../../../src/sandbox/autorun/git-config/changed-keys.ts';
import {fc} from '../../../../harness/property.ts';

const inert: readonly (readonly [string, string | undefined, boolean])[] = [
  ['remote.origin.url', 'https://example.org/x.git', true],
  ['remote.a.b.c.url', 'git@example.org:x.git', true],
  ['remote.origin.url', '../other', true],
  ['remote.origin.url', 'ext::sh -c id', false],
  ['remote.origin.url', 'x-y.z+1::id', false],
  ['remote.origin.url', '--upload-pack=id', false],
  ['remote.origin.url', 'ssh://-oProxyCommand=id/x', false],
  ['remote.origin.url', 'evil://x', false],
  ['remote.origin.url', 'a\nb', false],
  ['remote.origin.uploadpack', 'id', false],
  ['remote.origin.receivepack', 'id', false],
  ['remote.origin.vcs', 'id', false],
  ['remote.origin.proxy', 'http://x', false],
  ['remote.origin.tagopt', '--no-tags', true],
  ['remote.origin.tagopt', '--exec=id', false],
  ['remote.origin.mirror', undefined, true],
  ['branch.main.merge', 'refs/heads/main', true],
  ['branch.main.mergeoptions', '-s evil', false],
  ['branch.main.remote', 'ext::id', false],
  ['user.name', 'A B', true],
  ['core.bare', 'false', true],
  ['core.worktree', '/', false],
  ['core.hookspath', 'x', false],
  ['core.fsmonitor', 'x', false],
  ['core.fsmonitor', 'true', false],
  ['core.editor', 'x', false],
  ['core.sshcommand', 'x', false],
  ['core.pager', 'x', false],
  ['core.gitproxy', 'x', false],
  ['core.askpass', 'x', false],
  ['core.attributesfile', 'x', false],
  ['core.alternaterefscommand', 'x', false],
  ['submodule.x.update', '!id', false],
  ['submodule.x.update', 'none', true],
  ['submodule.x.url', 'ext::id', false],
  ['include.path', 'x', false],
  ['includeif.gitdir:x.path', 'x', false],
  ['alias.x', '!id', false],
  ['filter.lfs.clean', 'git-lfs clean -- %f', false],
  ['url.ext::id.insteadof', 'https://', false],
  ['credential.helper', '!id', false],
  ['gpg.program', 'id', false],
  ['diff.x.textconv', 'id', false],
  ['merge.x.driver', 'id', false],
  ['pager.log', 'id', false],
  ['sequence.editor', 'id', false],
  ['bare', undefined, false],
  ['remote.url', 'x', false],
  ['core.x.bare', 'true', false],
  ['pull.rebase', '!id', false],
  ['constructor.x', 'y', false],
];

test('the inert keys, with their inert values', () => {
  for (const [key, value, want] of inert) assert.equal(isInert(key, value), want, `${key} = ${value}`);
});

interface Case {
  readonly name: string;
  readonly base: string;
  readonly before?: string;
  readonly after: string;
  readonly want: string;
  readonly forbidden?: readonly string[];
}

const core = '[core]\n\tbare = false\n';
const cases: readonly Case[] = [
  {
    name: 'a remote is kept, a hooks path is not',
    base: core,
    after: `${core}\thooksPath = evil\n[remote "o"]\n\turl = u\n\tfetch = f\n`,
    want: `${core}[remote "o"]\n\turl = u\n\tfetch = f\n`,
    forbidden: ['core.hookspath'],
  },
  {
    name: 'a removed entry comes back',
    base: `${core}\thooksPath = /dev/null # safe\n`,
    after: core,
    want: `${core}\thooksPath = /dev/null # safe\n`,
    forbidden: ['core.hookspath'],
  },
  {
    name: 'an entry that was overridden later in the file',
    base: `${core}[alias]\n\tst = status\n`,
    after: `${core}[alias]\n\tst = status\n[alias]\n\tst = !evil\n`,
    want: `${core}[alias]\n\tst = status\n`,
    forbidden: ['alias.st'],
  },
  {
    name: 'an include that moves',
    base: '[include]\n\tpath = a\n[core]\n\thooksPath = b\n',
    after: '[core]\n\thooksPath = b\n[include]\n\tpath = a\n',
    want: '[include]\n\tpath = a\n[core]\n\thooksPath = b\n',
    forbidden: ['include.path'],
  },
  {
    name: 'a removed remote loses its header too; comments stay',
    base: `${core}[remote "o"]\n\turl = u\n\tfetch = f\n; mine\n[remote "p"]\n\t# mine too\n\turl = v\n`,
    after: core,
    want: `${core}[remote "o"]\n; mine\n[remote "p"]\n\t# mine too\n`,
  },
  {
    name: 'entries that another process added during the run stay',
    base: `${core}[remote "theirs"]\n\turl = t\n[alias]\n\tx = !theirs\n`,
    before: core,
    after: `${core}[remote "ours"]\n\turl = o\n`,
    want: `${core}[remote "theirs"]\n\turl = t\n[alias]\n\tx = !theirs\n[remote "ours"]\n\turl = o\n`,
  },
  {
    name: 'both added a value to one key',
    base: '[remote "o"]\n\turl = a\n\turl = theirs\n',
    before: '[remote "o"]\n\turl = a\n',
    after: '[remote "o"]\n\turl = a\n\turl = ours\n',
    want: '[remote "o"]\n\turl = a\n\turl = theirs\n\turl = ours\n',
  },
  ...[
    {
      name: 'both set a key that has one value: the last writer',
      after: '[user]\n\tname = ours\n',
      want: 'ours',
    },
    {name: 'removed by the run and changed by another process', after: '', want: 'theirs'},
  ].flatMap(({name, after, want}) =>
    ['', '[user]\n\tname = base\n'].map((before) => ({
      ...{name, before, after, base: '[user]\n\tname = theirs\n'},
      want: after === '' && before === '' ? '[user]\n\tname = theirs\n' : `[user]\n\tname = ${want}\n`,
    })),
  ),
  {
    name: 'both added a refspec',
    base: '[remote "o"]\n\tfetch = theirs\n',
    before: '[remote "o"]\n',
    after: '[remote "o"]\n\tfetch = ours\n',
    want: '[remote "o"]\n\tfetch = theirs\n\tfetch = ours\n',
  },
  {
    name: 'a section goes, and the one before it grows',
    base: '[user]\n\tname = a\n[remote "o"]\n\turl = u\n\tfetch = f\n[alias]\n\tx = y\n[branch "b"]\n\tmerge = m',
    after:
      '[user]\n\tname = a\n\temail = e\n[branch "b"]\n\tremote = r\n\tmerge = m\n[remote "p"]\n\turl = v\n\tfetch = g\n',
    want: '[user]\n\tname = a\n\temail = e\n[alias]\n\tx = y\n[branch "b"]\n\tmerge = m\n\tremote = r\n\n[remote "p"]\n\turl = v\n\tfetch = g\n',
    forbidden: ['alias.x'],
  },
  {
    name: 'a section loses one key and gets another',
    base: '[remote "o"]\n\turl = u\n[core]\n\tbare = no\n',
    after: '[remote "o"]\n\tfetch = f\n',
    want: '[remote "o"]\n\tfetch = f\n',
  },
  {
    name: 'unusual names and values are quoted',
    base: '',
    after: '[remote "a\\"b\\\\c d"]\n\turl = " x;#\\"\\\\ "\n\tmirror\n',
    want: '[remote "a\\"b\\\\c d"]\n\turl = " x;#\\"\\\\ "\n\tmirror\n',
  },
  {
    name: 'an inert key with a dangerous value',
    base: '[remote "o"]\n\turl = a\n',
    after: '[remote "o"]\n\turl = ext::evil\n',
    want: '[remote "o"]\n\turl = a\n',
    forbidden: ['remote.o.url'],
  },
];

test('inert changes are carried over, others are not', () => {
  for (const {name, base, before = base, after, want, forbidden = []} of cases) {
    const [was, is] = [parseGitConfig(before), parseGitConfig(after)];
    assert.deepEqual(
      forbiddenChanges(was, is).map(({key}) => key),
      forbidden,
      name,
    );
    assert.equal(carryOver(base, was, is), want, name);
  }
});

test('a text to which nothing can be added safely is left unchanged', () => {
  const base = '[core]\n\tx = y\\';
  assert.equal(carryOver(base, parseGitConfig(base), parseGitConfig('[user]\n\tname = a\n')), undefined);
});

const line = fc.constantFrom(
  ...[
    '[core]',
    '[remote "o"]',
    '[remote "o"] url = 1',
    '[alias]',
    '[include]',
    '; comment',
    '',
    '[user] # x',
  ],
  ...[
    '\turl = a',
    '\turl = ext::a',
    'url = "b;" ; c',
    '  bare',
    'hooksPath = h',
    'path = i',
    'name = n \\\n  m',
  ],
);
const text = fc.array(line, {maxLength: 10}).map((lines) => lines.join('\n'));
const dangerous = (config: string): string[] =>
  parseGitConfig(config)
    .entries.filter(({key, value}) => !isInert(key, value))
    .map(({key, value}) => `${key}=${value}`);

test("law: the result has the base's dangerous entries in order, and parses as git would parse it", () => {
  fc.assert(
    fc.property(text, text, text, (base, before, after) => {
      const result = carryOver(base, parseGitConfig(before), parseGitConfig(after));
      if (result !== undefined) assert.deepEqual(dangerous(result), dangerous(base));
    }),
    {numRuns: 5000},
  );
});

test('law: with an unchanged base, every inert change is carried over', () => {
  let arrived = 0;
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [was, is] = [parseGitConfig(before), parseGitConfig(after)];
      const result = carryOver(before, was, is);
      if (result === undefined) return;
      arrived++;
      const forbidden = forbiddenChanges(was, is).map(({key}) => key);
      const left = changedKeys(parseGitConfig(result), is).filter(({key, before: a, after: b}) =>
        [...a, ...b].every((value) => isInert(key, value)),
      );
      assert.deepEqual(
        left.filter(({key}) => !forbidden.includes(key)),
        [],
      );
      assert.deepEqual(forbiddenChanges(was, parseGitConfig(result)), []);
    }),
    {numRuns: 5000},
  );
  assert.ok(arrived > 4500, `${arrived}`);
});
