import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {identities, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile, repository} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

interface Facts {
  readonly sandbox: {readonly enforcement: readonly {readonly protection: string; readonly level: string}[]};
}

/** Another sandbox around ion, and which of ion's protections are weaker in it, as docs/enforcement.md lists them. */
interface Container {
  readonly name: string;
  readonly through: (scratch: Scratch) => readonly string[];
  /**
   * Protections that are enforced outside the container and best effort in it, and protections that are missing only in it.
   */
  readonly weaker: readonly string[];
  readonly lost: readonly string[];
}

const bwrap =
  (...options: readonly string[]) =>
  ({home}: Scratch): string[] => [
    ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--bind', home, home, '--chdir', `${home}/work`, ...options, '--'],
  ];

const containers: readonly Container[] = [
  {
    name: 'bubblewrap',
    through: bwrap('--unshare-all'),
    weaker: [],
    lost: [],
  },
  {
    name: 'bubblewrap without user namespaces',
    through: bwrap('--unshare-all', '--unshare-user', '--cap-drop', 'ALL', '--disable-userns'),
    weaker: ['metadata', 'mounted-later', 'autorun', 'git-config', 'denied-paths', 'scheduling'],
    lost: ['ipc', 'terminals', 'hidden-processes'],
  },
  {
    name: 'ion',
    through: () => [process.execPath, ionFile, 'run', '--'],
    weaker: ['scheduling'],
    lost: [
      ...[
        'metadata',
        'metadata-handed',
        'mounted-later',
        'streams',
        'streams-appended',
        'autorun',
        'autorun-nested',
        'autorun-new',
        'git-config',
      ],
      ...['denied-exec', 'reported'],
      ...['denied-paths', 'denied-paths-new', 'ipc', 'terminals', 'hidden-processes'],
    ],
  },
];

/** The levels that a run reports, by protection. */
function levelsIn(stderr: string): ReadonlyMap<string, string> {
  const {sandbox} = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{'))!) as Facts;
  return new Map(sandbox.enforcement.map(({protection, level}) => [protection, level]));
}

for (const as of identities) {
  for (const {name, through, weaker, lost} of containers) {
    test(`ion inside ${name}: the sandbox holds, and ion reports what is weaker (${as.name})`, async (t) => {
      if (!requireProgram(t, 'bwrap')) return;
      const scratch = makeScratch(t, as, {'in/': ''});
      const outer = through(scratch);
      // The outer sandbox allows the write: only the inner one refuses it.
      const control = await runIon(scratch, ['run', '--no-sandbox', 'echo x > in/f'], {as, through: outer});
      assert.equal(control.code, 0, control.stderr);
      const script = `cd in && exec "$0" "$@"`;
      const run = await runIon(
        scratch,
        ['run', '--json', 'echo inner; echo x > f; echo x > ../f || exit 7'],
        {
          as,
          through: [...outer, 'bash', '-c', script],
        },
      );
      assert.deepEqual([run.code, run.stdout], [7, 'inner\n'], run.stderr);
      const around = levelsIn((await runIon(scratch, ['run', '--json', 'true'], {as})).stderr);
      const inside = levelsIn(run.stderr);
      const went = (from: readonly string[], to: string): string[] =>
        [...inside.keys()].filter((id) => inside.get(id) === to && from.includes(around.get(id)!));
      // A mount of a container's /etc cannot map its owners. Only runs of root need that.
      const forRoot = as.uid === 0 ? ['etc-later'] : [];
      assert.deepEqual(went(['enforced'], 'best effort').toSorted(), [...weaker, ...forRoot].toSorted());
      assert.deepEqual(went(['enforced', 'best effort'], 'not').toSorted(), lost.toSorted());
    });
  }
}

for (const as of testers) {
  for (const {name, through} of containers) {
    test(`ion doctor inside ${name}: every claim holds (${as.name})`, async (t) => {
      if (!requireProgram(t, 'bwrap')) return;
      // It is below the workspace, because the outer ion allows writes nowhere else.
      const scratch = makeScratch(t, as, {'home/': ''});
      const {code, stdout, stderr} = await runIon(scratch, ['doctor'], {
        as,
        through: [...through(scratch), 'env', `HOME=${scratch.work}/home`],
        timeoutMs: 120_000,
      });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /every tested protection held/);
    });
  }
}

test(
  'root without capabilities, which may not map itself, has no namespaces',
  {skip: process.getuid!() !== 0},
  async (t) => {
    if (!requireProgram(t, 'setpriv')) return;
    const scratch = makeScratch(t, identities[0]!);
    const through = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
    const {code, stdout, stderr} = await runIon(scratch, ['run', 'echo in; echo x > ../outside'], {
      as: identities[0]!,
      through,
    });
    assert.deepEqual([code, stdout], [1, 'in\n'], stderr);
    assert.match(stderr, /could not change ".*\/outside"/);
  },
);

/** A root folder that is not the root of a mount namespace. A process that joined a mount namespace would be outside it. */
const chroot = `
root=$1 work=$2; shift 2
for folder in bin dev etc lib lib64 proc tmp usr var; do mkdir -p "$root/$folder"; mount --rbind "/$folder" "$root/$folder"; done
exec chroot "$root" bash -c 'cd "$0" && exec "$@"' "$work" "$@"`;

test('ion in a chroot stays in it', {skip: process.getuid!() !== 0}, async (t) => {
  if (!requireProgram(t, 'unshare')) return;
  const scratch = makeScratch(t, identities[0]!, {'/root/marker': ''});
  const through = ['unshare', '-m', 'bash', '-c', chroot, 'bash', `${scratch.root}/root`, scratch.work];
  const command = 'echo x > f && cat f; echo x > /marker';
  const {code, stdout, stderr} = await runIon(scratch, ['run', `test -e /marker && ${command}`], {
    as: identities[0]!,
    through,
  });
  assert.deepEqual([code, stdout.split('\n').at(-2)], [1, 'x'], stderr);
  assert.match(stderr, /could not change "\/marker"/);
});

test('docs/enforcement.md lists what is weaker inside another sandbox', () => {
  const readme = readFileSync(path.join(repository, 'docs/enforcement.md'), 'utf8');
  for (const {name, weaker, lost} of containers) {
    const row = readme.split('\n').find((line) => line.startsWith(`| ${name} |`));
    const cell = (ids: readonly string[]): string => ids.join(', ') || 'nothing';
    assert.equal(row, `| ${name} | ${cell(weaker)} | ${cell(lost)} |`);
  }
});
