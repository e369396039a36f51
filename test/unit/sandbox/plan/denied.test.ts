import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {defaultLayer} from '../../../../src/config/defaults.ts';
import type {Sourced} from '../../../../src/config/settings.ts';
import {IonError} from '../../../../src/errors.ts';
import {noFeatures, type Features} from '../../../../src/sandbox/matrix/features.ts';
import type {Root} from '../../../../src/sandbox/plan/roots.ts';
import {refuseOpen} from '../../../../src/sandbox/require.ts';
import {planDenied} from '../../../../src/sandbox/plan/denied.ts';
import {inUserFile} from '../../policy/support.ts';
import {linuxFeatures} from '../../../harness/features.ts';

const written = inUserFile(3);

/** `{w}` is the only read root. It contains `there`, `folder/` and `link` (a symlink to `folder`). `{o}` is outside. */
const cases: readonly {
  readonly name: string;
  readonly entries: readonly string[];
  readonly features?: Partial<Features>;
  readonly byDefault?: true;
  readonly masked?: readonly string[];
  readonly watched?: readonly string[];
  readonly open?: readonly string[];
}[] = [
  {
    name: 'an existing path is masked, and watched as well: another process may replace it',
    entries: ['{w}/there'],
    masked: ['{w}/there'],
    watched: ['{w}/there'],
  },
  {
    name: 'by its real path',
    entries: ['{w}/link'],
    masked: ['{w}/folder'],
    watched: ['{w}/link', '{w}/folder'],
  },
  {
    name: 'an escaped name is not a wildcard',
    entries: ['{w}/\\(there\\)'],
    masked: ['{w}/(there)'],
    watched: ['{w}/\\(there\\)', '{w}/(there)'],
  },
  {
    name: 'without a listener it is only masked',
    entries: ['{w}/there'],
    features: {listener: false},
    masked: ['{w}/there'],
  },
  {name: 'a missing path is watched', entries: ['{w}/later'], watched: ['{w}/later']},
  {name: 'a wildcard too', entries: ['{w}/**/*.pem'], watched: ['{w}/**/*.pem']},
  {name: 'one that begins above the root', entries: ['/**/*.pem'], watched: ['/**/*.pem']},
  {
    name: 'a wildcard after a symlink, at both places',
    entries: ['{w}/link/*.pem'],
    watched: ['{w}/link/*.pem', '{w}/folder/*.pem'],
  },
  {
    name: 'a wildcard and a name',
    entries: ['{w}/there', '{w}/*.pem'],
    masked: ['{w}/there'],
    watched: ['{w}/there', '{w}/*.pem'],
  },
  {name: 'outside the roots nothing is needed', entries: ['{o}/later', '{o}/there', '{o}/**/*.pem']},
  {
    name: 'without Landlock an explicit entry is watched',
    entries: ['{o}/later'],
    features: {landlock: 0, namespaces: 'none'},
    watched: ['{o}/later'],
  },
  {
    name: "not without Landlock if the run's file system contains only the roots",
    entries: ['{o}/later'],
    features: {landlock: 0},
  },
  {
    name: 'not for the defaults, which would slow down every run',
    entries: ['{o}/later'],
    features: {landlock: 0, namespaces: 'none'},
    byDefault: true,
  },
  {
    name: 'without namespaces everything is watched',
    entries: ['{w}/there'],
    features: {namespaces: 'none'},
    watched: ['{w}/there'],
  },
  {
    name: 'a path that contains a root cannot be masked',
    entries: ['{top}'],
    watched: ['{top}'],
  },
  {
    name: 'without a listener a wildcard is not enforced',
    entries: ['{w}/there', '{w}/*.pem'],
    features: {listener: false},
    masked: ['{w}/there'],
    open: ['{w}/*.pem'],
  },
  {
    name: 'with neither nothing is enforced',
    entries: ['{w}/there', '{o}/there'],
    features: {listener: false, namespaces: 'none'},
    open: ['{w}/there'],
  },
  {
    name: 'a pattern that the supervisor cannot express is not enforced',
    entries: ['{w}/{1..9}'],
    open: ['{w}/{1..9}'],
  },
  {name: 'on a Mac seatbelt enforces all', entries: ['{w}/*.pem'], features: {...noFeatures, seatbelt: true}},
];

for (const {name, entries, features, byDefault, masked = [], watched = [], open = []} of cases) {
  test(`denied_paths: ${name}`, (t) => {
    const top = realpathSync(mkdtempSync('/var/tmp/ion-test-'));
    t.after(() => rmSync(top, {recursive: true}));
    for (const folder of ['w', 'w/folder', 'o']) mkdirSync(`${top}/${folder}`);
    for (const file of ['w/there', 'w/(there)', 'o/there']) writeFileSync(`${top}/${file}`, '');
    symlinkSync('folder', `${top}/w/link`);
    const at = (text: string): string =>
      text.replaceAll(/\{(w|o|top)\}/g, (_, one) => (one === 'top' ? top : `${top}/${one}`));
    const origin = byDefault ? ({layer: 'default'} as const) : written;
    const plan = planDenied({
      settings: {deniedPaths: entries.map((value) => ({value: at(value), origin}))},
      machine: {features: {...linuxFeatures, ...features}},
      roots: [{path: `${top}/w`, grant: 'read', reason: '', optional: false} satisfies Root],
    });
    assert.deepEqual(plan.masked, masked.map(at));
    assert.deepEqual(
      plan.watched.map(({pattern}) => pattern),
      watched.map(at),
    );
    assert.deepEqual(
      plan.open.map(({value}) => value),
      open.map(at),
    );
  });
}

for (const grant of ['read', 'view', 'write', 'scratch'] as const) {
  test(`denied_paths: masked in a root of each kind: ${grant}`, () => {
    const {masked} = planDenied({
      settings: {deniedPaths: [{value: '/usr/bin', origin: written}]},
      machine: {features: linuxFeatures},
      roots: [{path: '/usr', grant, reason: '', optional: false}],
    });
    assert.deepEqual(masked, ['/usr/bin']);
  });
}

test('denied_paths: the defaults do not make a supervisor check opens', () => {
  const roots = [
    '/usr',
    '/etc',
    '/tmp',
    '/home/u/work',
    '/home/u/.gitconfig',
    '/home/u/.config/git/config',
  ].map((path): Root => ({path, grant: 'write', reason: '', optional: true}));
  const deniedPaths = defaultLayer(['/home/u']).values['permissions.denied_paths']!;
  for (const features of [
    linuxFeatures,
    {...linuxFeatures, landlock: 0},
    {...linuxFeatures, namespaces: 'none'} as const,
  ]) {
    assert.deepEqual(planDenied({settings: {deniedPaths}, machine: {features}, roots}).watched, []);
  }
});

test('denied_paths: an explicit entry that nothing enforces is an error, a default is not', () => {
  const byDefault: Sourced<string> = {value: '/w/a', origin: {layer: 'default'}};
  refuseOpen([]);
  refuseOpen([byDefault]);
  assert.throws(
    () => refuseOpen([byDefault, {value: '/w/*.pem', origin: written}]),
    (error) => {
      assert.ok(error instanceof IonError);
      assert.match(error.message, /^cannot enforce denied_paths "\/w\/\*\.pem" here: /);
      assert.deepEqual([error.exitCode, error.at?.line, error.help !== undefined], [125, 3, true]);
      return true;
    },
  );
});
