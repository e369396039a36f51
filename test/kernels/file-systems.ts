import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, rmdirSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {noNamespaces} from '../conformance/kernels.ts';
import {attacksOn, deniedIn} from '../harness/folded-names.ts';
import {spawnAs, type Identity} from '../harness/identity.ts';
import {compiled} from '../harness/native.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';
import type {SeenFileSystem} from './report.ts';

/** The workspaces that images.mjs made, and how they are mounted for this user. */
const fileSystems = [
  {
    id: 'vfat',
    image: 'vfat.img',
    options: ({uid, gid}: Identity) => (uid === 0 ? 'loop' : `loop,uid=${uid},gid=${gid}`),
    prepare: (): void => {},
  },
  {
    id: 'casefolded ext4',
    image: 'casefold.img',
    options: () => 'loop',
    prepare: (work: string, as: Identity): void => {
      // Only an empty folder can be casefolded.
      rmdirSync(path.join(work, 'lost+found'));
      execFileSync('chattr', ['+F', work]);
      giveTo(work, as);
    },
  },
] as const;
type FileSystem = (typeof fileSystems)[number];

const settings = [
  {name: 'namespaces', deny: []},
  {name: 'no namespaces', deny: noNamespaces},
] as const;

/** Prints the same inside and outside. */
const work = `set -e
git init -q -b main r; cd r; git config user.email a@b; git config user.name a
echo x > Readme; git add Readme; git commit -qm one; git mv Readme README; git commit -qm two
git checkout -q -b side; echo y > Caf\u00e9; git add .; git commit -qm three; git checkout -q main; git merge -q side; git log --format=%s
cd ..; mkdir -p node_modules/.bin node_modules/Left-Pad; echo '{}' > node_modules/Left-Pad/package.json
mv node_modules/Left-Pad node_modules/.left-pad-x1; mv node_modules/.left-pad-x1 node_modules/left-pad; ls node_modules
echo '{}' > package-lock.json.1; mv package-lock.json.1 package-lock.json; echo '{"a":1}' > package-lock.json; cat package-lock.json
mkdir '\u00dcber uns'; echo z > '\u00dcber uns/na\u00efve~1.txt'; cat '\u00dcber uns/na\u00efve~1.txt'; rm -r '\u00dcber uns' node_modules; ls`;

/** In each workspace: the attacks outside, the same inside, then everyday work. */
export async function tryFileSystems(as: Identity, timeoutMs: number): Promise<SeenFileSystem[]> {
  const all: SeenFileSystem[] = [];
  for (const system of fileSystems)
    for (const setting of settings) {
      const result = await tryOne(system, setting, as, timeoutMs).catch((error: Error) => ({
        problems: [error.message],
      }));
      const seen = {name: system.id, setting: setting.name, tried: 0, ...result};
      const told = [...seen.problems, `${seen.tried} attacks tried`].join('; ');
      console.log(`guest: ${seen.name}, ${seen.setting}: ${told} ${Math.round(process.uptime())} s`);
      all.push(seen);
    }
  return all;
}

async function tryOne(
  system: FileSystem,
  {deny}: {readonly deny: readonly string[]},
  as: Identity,
  timeoutMs: number,
): Promise<Pick<SeenFileSystem, 'tried' | 'problems'>> {
  const {setUp, attack, check, names} = attacksOn(system.id);
  const user = as.uid ? ['--user', `${as.uid}:${as.gid}`] : [];
  const through = [compiled('deny-syscalls.c'), ...user, ...deny, '--'];
  const root = {name: 'root', uid: 0, gid: 0} as const;
  const outside = await mounted(system, as, (scratch) => {
    bash(scratch, as, setUp);
    bash(scratch, as, attack);
    return {got: linesOf(bash(scratch, as, check)), work: bash(scratch, as, `mkdir w; cd w; ${work}`)};
  });
  const inside = await mounted(system, as, async (scratch) => {
    bash(scratch, as, setUp);
    const [config, script] = [path.join(scratch.root, 'config.toml'), path.join(scratch.work, 'attack')];
    writeFileSync(config, `[permissions]\ndenied_paths = ${JSON.stringify(deniedIn(scratch.work))}\n`);
    writeFileSync(script, attack);
    const ion = (command: string): ReturnType<typeof runIon> =>
      runIon(scratch, ['run', '--config', config, command], {as: root, through, timeoutMs});
    await ion('bash attack');
    const got = linesOf(bash(scratch, as, check));
    const worked = await ion(`mkdir w; cd w; ${work}`);
    return {got, worked};
  });
  return {
    tried: names.length,
    problems: [
      ...names.filter((name) => !outside.got.includes(name)).map((name) => `fails outside too: ${name}`),
      ...inside.got.map((name) => `inside: ${name}`),
      ...(inside.worked.code === 0 && inside.worked.stdout === outside.work
        ? []
        : [`everyday work: ${JSON.stringify(inside.worked)}, outside ${JSON.stringify(outside.work)}`]),
    ],
  };
}

async function mounted<T>(
  {image, options, prepare}: FileSystem,
  as: Identity,
  body: (scratch: Scratch) => T | Promise<T>,
): Promise<T> {
  const cleanUp: (() => unknown)[] = [];
  // On a tmpfs.
  const folder = mkdtempSync('/tmp/file-system-');
  const scratch = makeScratch({after: (f?: unknown) => void cleanUp.push(f as () => void)}, as);
  const disk = path.join(folder, image);
  execFileSync('cp', ['--sparse=always', path.join('file-systems', image), disk]);
  try {
    execFileSync('mount', ['-o', options(as), disk, scratch.work]);
    try {
      prepare(scratch.work, as);
      return await body(scratch);
    } finally {
      spawnSync('umount', ['-l', scratch.work]);
    }
  } finally {
    for (const clean of cleanUp) await clean();
    rmSync(folder, {recursive: true});
  }
}

function bash(scratch: Scratch, as: Identity, script: string): string {
  return spawnSync('bash', ['-c', script], {
    cwd: scratch.work,
    env: environmentOf(scratch),
    encoding: 'utf8',
    ...spawnAs(as),
  }).stdout;
}

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);
