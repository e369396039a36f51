import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {test, type TestContext} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {isWhole} from '../harness/extent.ts';
import {identities, plain, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {collect, startIon, startProgram} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/**
 * Another process mounts, moves and replaces files while a run waits. The test has its own mount namespace. Its mounts are
 * shared, slaves or private, as on real machines. Only root can mount.
 */
interface Attack {
  readonly name: string;
  /** The action of the other process, as root, in the scratch folder of the test. */
  readonly meanwhile: string;
  /** The script of the run, in `home/work`. It prints `through` if its attack succeeds. */
  readonly script: string;
  /** Tried only if the run has its own mounts: otherwise the supervisor's check can be raced, or does not exist. */
  readonly mountsOnly?: true;
}

/** The name is not in the text of the command, which ion would refuse. */
const reads = (file: string): string => `grep -q secret "$(echo ${file} | tr , /)" && echo through`;
/** Changed by the run, as another process sees it. */
const writes = (file: string): string => `echo evil > ${file} && echo through`;

const attacks: readonly Attack[] = [
  {
    name: 'write a tmpfs beside the workspace',
    meanwhile: 'mount -t tmpfs -o mode=777 x home/beside',
    script: writes('../beside/f'),
  },
  {
    name: 'write a bind mount beside the workspace',
    meanwhile: 'mount --bind home/work home/beside',
    script: writes('../beside/f'),
  },
  {
    name: 'write a bind mount of a protected folder under another name',
    meanwhile: 'mount --bind home/work/.vscode home/work/other',
    script: `[ -e other/tasks.json ] && ${writes('other/tasks.json')}`,
    mountsOnly: true,
  },
  {
    name: 'write a tmpfs over a protected folder',
    meanwhile: 'mount -t tmpfs -o mode=777 x home/work/.vscode',
    script: writes('.vscode/tasks.json'),
  },
  {
    name: 'write what was moved to the place of a protected folder',
    meanwhile: 'mv home/work/.vscode home/work/old; mkdir -m 777 home/work/.vscode',
    script: writes('.vscode/tasks.json'),
  },
  {
    name: 'read outside files that are mounted in the workspace',
    meanwhile: 'mount --bind home/closed home/work/other',
    script: reads('other,f'),
    mountsOnly: true,
  },
  {
    name: 'read what is mounted over a denied file',
    meanwhile: 'mount --bind home/closed/f home/work/denied/f',
    script: reads('denied,f'),
  },
  {
    name: 'read a denied file that is replaced by a rename',
    meanwhile: 'cp home/closed/f home/work/new; mv home/work/new home/work/denied/f',
    script: reads('denied,f'),
  },
  {
    name: 'read a denied file that is exchanged with another one',
    meanwhile:
      'cp home/closed/f home/work/new; python3 -c \'import ctypes; ctypes.CDLL(None).renameat2(-100, b"home/work/new", -100, b"home/work/denied/f", 2)\'',
    script: reads('denied,f'),
  },
  {
    name: 'read it in a folder that is replaced',
    meanwhile:
      'mv home/work/denied home/work/old; mkdir home/work/denied; cp home/closed/f home/work/denied/f',
    script: reads('denied,f'),
  },
  {
    name: 'read it in a folder that a link replaces',
    meanwhile: 'mv home/work/denied home/work/old; ln -s old home/work/denied',
    script: reads('denied,f'),
  },
  {
    name: 'read where such a link leads',
    meanwhile: 'mv home/work/denied home/work/old; ln -s old home/work/denied',
    script: reads('old,f'),
  },
  {
    name: 'read where a link in its own place leads',
    meanwhile: 'mv home/work/denied/f home/work/old; ln -s ../old home/work/denied/f',
    script: reads('old'),
  },
  {
    name: 'read it through a bind mount of its folder under another name',
    meanwhile: 'mount --bind home/work/denied home/work/other',
    script: reads('other,f'),
    mountsOnly: true,
  },
  {
    name: 'read a denied folder that is mounted over',
    meanwhile: 'mount --bind home/closed home/work/denied',
    script: reads('denied,f'),
  },
  {
    name: 'write below a read root that becomes writable outside',
    meanwhile: 'mount --bind home/beside home/beside; mount -o remount,bind,rw home/beside',
    script: writes('../beside/f'),
  },
];

const config = `[permissions]
denied_paths = ["{work}/denied/f", "{work}/denied2"]
[sandbox]
read_roots = ["{home}/beside"]
`;

/** A process in a mount namespace with this propagation of its root. Both end with the test. */
async function openMounts(
  t: TestContext,
  scratch: Scratch,
  propagation: string,
): Promise<number | undefined> {
  const argv = ['unshare', '-m', '--propagation', propagation, 'sh', '-c', 'echo ready; exec cat'];
  const holder = startProgram(scratch, argv, {stdio: ['pipe', 'pipe', 'ignore']});
  scratch.companions.push(holder);
  const said = await Promise.race([once(holder.stdout!, 'data').then(String), holder]);
  if (said === 'ready\n') return holder.pid;
  t.skip('no mount namespace can be made here');
  return undefined;
}

function filesOf(): Record<string, string> {
  return {
    'other/': '',
    '.vscode/tasks.json': '{}\n',
    'denied/f': 'secret\n',
    '~/beside/': '',
    '~/closed/f': 'secret\n',
  };
}

async function through(
  scratch: Scratch,
  holder: number,
  {meanwhile, script}: Attack,
  {
    as,
    deny,
    flags,
  }: {readonly as: Identity; readonly deny: readonly string[]; readonly flags: readonly string[]},
): Promise<boolean> {
  const inside = ['nsenter', '-t', String(holder), '-m', `--wdns=${scratch.work}`];
  const asUser = as.uid ? ['--user', `${as.uid}:${as.gid}`] : [];
  const run = startIon(
    scratch,
    ['run', ...flags, '--config', `${scratch.root}/config.toml`, `echo started; read x; ${script}; true`],
    {as: identities[0]!, through: [...inside, compiled('deny-syscalls.c'), ...asUser, ...deny, '--']},
  );
  const ended = collect(run, 60_000);
  const early = await Promise.race([once(run.stdout!, 'data'), ended]);
  if (!Array.isArray(early)) assert.fail(early.stderr);
  const other = spawnSync(
    'nsenter',
    ['-t', String(holder), '-m', `--wdns=${scratch.root}`, 'sh', '-ec', meanwhile],
    {encoding: 'utf8'},
  );
  assert.equal(other.status, 0, other.stderr);
  run.stdin!.end('\n');
  const {stdout} = await ended;
  return stdout.includes('through');
}

const settings = [
  {propagation: 'shared', as: plain, deny: []},
  {propagation: 'private', as: identities[0]!, deny: []},
  {propagation: 'slave', as: identities[0]!, deny: []},
  {propagation: 'shared', as: identities[0]!, deny: []},
  {propagation: 'shared', as: plain, deny: noNamespaces},
].slice(0, isWhole ? 5 : 1);

for (const {propagation, as, deny} of identities.length > 1 ? settings : []) {
  const kernel = deny.length > 0 ? ', no namespaces' : '';
  for (const attack of attacks.filter(({mountsOnly}) => !mountsOnly || deny.length === 0)) {
    test(`file systems: during the run: ${attack.name} (${propagation}, ${as.name}${kernel})`, async (t) => {
      if (!requireProgram(t, 'nsenter', 'unshare', 'python3', 'cc')) return;
      const seen: boolean[] = [];
      for (const flags of [['--no-sandbox'], []]) {
        const scratch = makeScratch(t, as, filesOf());
        const holder = await openMounts(t, scratch, propagation);
        if (holder === undefined) return;
        const {writeFiles, giveTo} = await import('../harness/scratch.ts');
        writeFiles(scratch, {
          '/config.toml': config.replaceAll('{work}', scratch.work).replaceAll('{home}', scratch.home),
        });
        giveTo(scratch.root, as);
        seen.push(await through(scratch, holder, attack, {as, deny, flags}));
      }
      assert.deepEqual(seen, [true, false]);
    });
  }
}
