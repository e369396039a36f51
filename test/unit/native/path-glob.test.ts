import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {test} from 'node:test';
import {deniedPaths, findDenied} from '../../../src/policy/paths/denied-paths.ts';
import {literalStart, supervisorPatterns} from '../../../src/sandbox/plan/denied-patterns.ts';
import {loadPathMatcher} from '../../../src/session/path-matcher.ts';
import {runsOf} from '../../harness/extent.ts';
import {compiledWith, sanitized} from '../../harness/native.ts';
import {fc} from '../../harness/property.ts';

const binary = compiledWith('path-glob-vectors.c', ['base/path_pattern.c']);

const origin = {layer: 'default'} as const;

/** The supervisor's result for each pair: 1 denied, + something below may be denied, 0 neither. */
function supervisor(pairs: readonly (readonly [entry: string, path: string])[]): string[] {
  const asked = pairs.flatMap(([entry, file], index) =>
    (supervisorPatterns(entry, literalStart(entry)) ?? []).map((pattern) => ({pattern, file, index})),
  );
  const input = asked.map(({pattern, file}) => `${pattern}\0${file}\0`).join('');
  const answers = execFileSync(binary, {input, encoding: 'latin1', env: sanitized});
  const best = pairs.map(() => '0');
  for (const [at, {index}] of asked.entries()) {
    if (answers[at] === '1' || (answers[at] === '+' && best[index] === '0')) best[index] = answers[at]!;
  }
  return best;
}

/** The decision's result. */
async function decision(entry: string, file: string): Promise<boolean> {
  const list = [{value: entry, origin}];
  return (
    findDenied(file, deniedPaths(list), await loadPathMatcher({deniedPaths: list} as never)) !== undefined
  );
}

const table: readonly (readonly [entry: string, path: string, want: '1' | '+' | '0'])[] = [
  ['/w/a', '/w/a', '1'],
  ['/w/a', '/w/a/b', '1'],
  ['/w/a', '/w', '+'],
  ['/w/a', '/w/ab', '0'],
  ['/w/a', '/W/A', '1'],
  ['/w/*.pem', '/w/x.pem', '1'],
  ['/w/*.pem', '/w/.pem', '1'],
  ['/w/*.pem', '/w/x.pem/below', '1'],
  ['/w/*.pem', '/w/d/x.pem', '0'],
  ['/w/*.pem', '/w/x.pem2', '0'],
  ['/w/**/*.pem', '/w/x.pem', '1'],
  ['/w/**/*.pem', '/w/a/.b/x.PEM', '1'],
  ['/w/**/*.pem', '/w/a\nb/x.pem', '1'],
  ['/w/**/*.pem', '/w/a', '+'],
  ['/w/**/*.pem', '/v/x.pem', '0'],
  ['/w/keys/**', '/w/keys', '1'],
  ['/w/keys/**', '/w/keys/a/b', '1'],
  ['/w/**/keys/*.k', '/w/a/keys', '+'],
  ['/w/**/a/**/b', '/w/x/a/y/z/b', '1'],
  ['/w/**/a/**/b', '/w/x/b/y/a', '+'],
  ['/w/.env*', '/w/.env.local', '1'],
  ['/w/?.k', '/w/ä.k', '1'],
  ['/w/?.k', '/w/ab.k', '0'],
  ['/w/[a-c]x', '/w/Bx', '1'],
  ['/w/[a-c]x', '/w/dx', '0'],
  ['/w/[^a-c]x', '/w/dx', '1'],
  ['/w/[^a-c]x', '/w/ax', '0'],
  ['/w/[ab]', '/w/[ab]', '1'],
  // Found by the fuzzer: the pattern's own name may match where a star has to continue.
  ['/w/*[ab]?', '/w/x[ab]', '1'],
  ['/w/*[a-]?', '/w/x[a-]', '1'],
  ['/w/*.{pem,key}', '/w/a.key', '1'],
  ['/w/*.{pem,key}', '/w/a.crt', '0'],
  ['/w/{a}', '/w/{a}', '1'],
  ['/w/{,a}b', '/w/b', '1'],
  ['/w/a\\*', '/w/a*', '1'],
  ['/w/a\\*', '/w/ab', '0'],
  ['/w/a\\*b*', '/w/a*bc', '1'],
  ['/w/*a*b*c', '/w/aabbabc', '1'],
  ['/w/Ü*', '/w/Ü1', '1'],
  ['/w/ü*', '/w/ü1', '1'],
  ['/**', '/a', '1'],
  ['/w/*/**', '/w/a', '+'],
  ['/w/*/**', '/w/a/b', '1'],
];

test('path glob: a table', async () => {
  const answers = supervisor(table.map(([entry, file]) => [entry, file]));
  for (const [index, [entry, file, want]] of table.entries()) {
    assert.equal(answers[index], want, JSON.stringify({entry, file}));
    assert.equal(await decision(entry, file), want === '1', `decision: ${JSON.stringify({entry, file})}`);
  }
});

/** Names of few letters, so that they often match. */
const name = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', '.', '-', '[', ']', 'é'),
  minLength: 1,
  maxLength: 4,
});
const file = fc
  .array(
    name.filter((text) => text !== '.' && text !== '..'),
    {minLength: 1, maxLength: 5},
  )
  .map((names) => `/${names.join('/')}`);
const part = fc.oneof(
  {weight: 4, arbitrary: fc.constantFrom('a', 'b', 'B', '-', 'é')},
  fc.constantFrom('*', '?', '[ab]', '[^a]', '[a-b.]', '{a,b}', '{a,}', '{a}', '\\[', '\\]', '\\*', '.a'),
);
const component = fc.oneof(
  {weight: 4, arbitrary: fc.array(part, {minLength: 1, maxLength: 3}).map((parts) => parts.join(''))},
  fc.constant('**'),
);
/** Entries that config accepts. */
const entry = fc
  .array(component, {minLength: 1, maxLength: 4})
  .map((names) => `/a/${names.join('/')}`)
  .filter(
    (text) =>
      (text.match(/\*\*/g) ?? []).length <= 2 && !/[^/]\*\*|\*\*[^/]|\{.*\{|\/\{a,\}(?:\/|$)/.test(text),
  );

/** A path that an entry may match. */
function meant(text: string, instead: string): string {
  const names = {
    '/**': instead,
    '*': 'b-',
    '?': 'é',
    '[ab]': 'B',
    '[^a]': 'b',
    '[a-b.]': '.',
    '{a,b}': 'b',
    '{a,}': '',
  };
  return Object.entries(names)
    .reduce((made, [from, to]) => made.replaceAll(from, to), text)
    .replaceAll(/\\(.)/g, '$1');
}

/** On these they once did not agree. */
const found: readonly (readonly [string, string])[] = [['/a/*/**/**', '/a/[']];

test('path glob: the supervisor and the decision agree', async () => {
  const pairs = fc
    .sample(fc.tuple(entry, file), runsOf(2000))
    .flatMap(([pattern, text]) =>
      [text, `/a${text}`, meant(pattern, text)].map((one) => [pattern, one] as const),
    )
    .filter(([, text]) => !/\/\.{0,2}(?:\/|$)/.test(text));
  pairs.push(...found);
  const answers = supervisor(pairs);
  let denied = 0;
  for (const [index, [pattern, text]] of pairs.entries()) {
    const want = await decision(pattern, text);
    assert.equal(answers[index] === '1', want, JSON.stringify({entry: pattern, path: text}));
    if (want) denied++;
  }
  assert.ok(denied > pairs.length / 20, `only ${denied} matched`);
});

test('path glob: a match below a folder is visible from the folder', () => {
  const pairs = fc.sample(
    fc.tuple(
      entry,
      file.map((text) => `/a${text}`),
    ),
    2000,
  );
  const below = supervisor(pairs);
  const above = supervisor(pairs.map(([pattern, text]) => [pattern, path.dirname(text)]));
  for (const [index, pair] of pairs.entries()) {
    assert.ok(below[index] === '0' || above[index] !== '0', JSON.stringify(pair));
  }
});

test('path glob: ion does not pass patterns that the supervisor cannot express', () => {
  assert.equal(supervisorPatterns('/w/{1..9}', '/w'), undefined);
  assert.equal(supervisorPatterns('/w/{a,}', '/w'), undefined);
  assert.equal(supervisorPatterns(`/w/${'a/'.repeat(80)}*`, `/w/${'a/'.repeat(80)}`), undefined);
});

test("path glob: the real path of a pattern's start counts as well", () => {
  assert.deepEqual(supervisorPatterns('/link/*.pem', '/real'), ['/link/*.pem', '/real/*.pem']);
  assert.deepEqual(supervisorPatterns('/link/\\(a\\)/b*', '/real/(a)'), ['/link/\\(a\\)/b*', '/real/(a)/b*']);
  assert.deepEqual(supervisorPatterns('/link', '/re[a]l'), ['/link', '/re\\[a]l']);
});
