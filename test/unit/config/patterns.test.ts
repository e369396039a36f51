import {test} from 'node:test';
import assert from 'node:assert/strict';
import picomatch from 'picomatch';
import {IonError} from '../../../src/errors.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {cpuSeconds} from '../../harness/cpu-seconds.ts';
import {fc} from '../../harness/property.ts';

/** The denied path that `pattern` gives in a project in `folder`, or undefined if it is refused. */
function denied(pattern: string, folder = '/w'): string | undefined {
  const source = {kind: 'project' as const, file: 'x', folder, home: '/h'};
  const text = `permissions.denied_paths = [${JSON.stringify(pattern).replaceAll('\u007f', '\\u007f')}]`;
  try {
    return parseLayer(text, source).values['permissions.denied_paths']![0]!.value;
  } catch (error) {
    assert.ok(error instanceof IonError);
    return undefined;
  }
}

const matcher = (pattern: string) => picomatch(pattern, {dot: true, debug: true, strictBrackets: true});

const matches: {pattern: string; folder?: string; path: string; want: boolean}[] = [
  {pattern: '.env', path: '/w/a/b/.env', want: true},
  {pattern: '.env', path: '/w/.env', want: true},
  {pattern: '.env', path: '/v/.env', want: false},
  {pattern: '*.pem', path: '/w/.a/x.pem', want: true},
  {pattern: 'a/*.pem', path: '/w/a/x.pem', want: true},
  {pattern: 'a/*.pem', path: '/w/a/b/x.pem', want: false},
  {pattern: 'a/[bc]', path: '/w/a/c', want: true},
  {pattern: 'a/[^bc]', path: '/w/a/c', want: false},
  {pattern: 'a/\\[b\\]', path: '/w/a/[b]', want: true},
  {pattern: 'a/\\(b\\)', path: '/w/a/(b)', want: true},
  {pattern: 'a/\\*', path: '/w/a/x', want: false},
  {pattern: '{a,b}/c', path: '/w/b/c', want: true},
  {pattern: 'a/*', folder: '/x [1] {2} (3) !+@|"$^', path: '/x [1] {2} (3) !+@|"$^/a/b', want: true},
  {pattern: 'a/*', folder: '/x*', path: '/xy/a/b', want: false},
  {pattern: '.env', folder: '/x(1)\\', path: '/x(1)\\/y/.env', want: true},
];
for (const {pattern, folder, path, want} of matches) {
  test(`denied_paths: ${pattern} in ${folder ?? '/w'} ${want ? 'matches' : 'does not match'} ${path}`, () => {
    assert.equal(matcher(denied(pattern, folder)!)(path), want);
  });
}

test('denied_paths: an accepted entry is a path, or a pattern that picomatch matches in time', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    '*',
    '**',
    '?',
    '[ab]',
    '[',
    ']',
    '{',
    '}',
    ',',
    '/',
    '\\',
    '!',
    '+',
    '(',
    ')',
    '|',
    '.',
    '-',
    '^',
    '$',
    '"',
    '@',
    ' ',
  );
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(pieces, {minLength: 1, maxLength: 14}),
      fc.string({unit: fc.constantFrom('a', 'b', '/', '.', '[', '\\')}),
      (parts, path) => {
        const pattern = denied(parts.join(''));
        if (pattern === undefined) return;
        accepted += 1;
        assert.ok(pattern.startsWith('/'));
        if (!/[*?[\]{}()!|]/.test(pattern))
          return assert.ok(!pattern.includes('\\'), 'a plain path with an escape');
        assert.ok(cpuSeconds(() => void matcher(pattern)(`/w/${path}`)) < 10, pattern);
      },
    ),
    {numRuns: 3000},
  );
  assert.ok(accepted > 300);
});

test('denied_paths: the worst accepted pattern matches in time', () => {
  const pattern = denied('**/**/a*a*{a,a,a,a,a}*b')!;
  const took = cpuSeconds(() => assert.equal(matcher(pattern)(`/w/${'a'.repeat(255)}`), false));
  assert.ok(took < 20, `${took} s`);
});
