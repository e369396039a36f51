import {execFileSync} from 'node:child_process';
import {chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {testCases, type Case} from '../harness/cases.ts';
import {giveTo} from '../harness/scratch.ts';

interface Obstacle {
  readonly name: string;
  readonly put: (folder: string) => void;
  readonly why: RegExp;
  /** Root can read every file. */
  readonly only?: 'user';
  /** Listing does not read the head. */
  readonly verbs?: readonly string[];
}

/** Obstacles in the place of the log. ion must not wait for any of them, nor report a bug in ion. */
const obstacles: readonly Obstacle[] = [
  {
    name: 'a file instead of the folder',
    put: (folder) => {
      rmSync(folder, {recursive: true});
      writeFileSync(folder, '');
    },
    why: /\/\.ion\/audit": a file has the name of a folder\nhelp: /,
  },
  {
    name: 'a FIFO as the log',
    put: (folder) => execFileSync('mkfifo', [path.join(folder, 'audit.jsonl')]),
    why: /\/audit\.jsonl": it is not a regular file\nhelp: /,
  },
  {
    name: 'a FIFO as the head',
    put: (folder) => execFileSync('mkfifo', [path.join(folder, 'head')]),
    why: /\/head": it is not a regular file\nhelp: /,
    verbs: ['verify'],
  },
  {
    name: 'a folder as the log',
    put: (folder) => mkdirSync(path.join(folder, 'audit.jsonl')),
    why: /\/audit\.jsonl": it is not a regular file\nhelp: /,
  },
  {
    name: 'a symlink as the log',
    put: (folder) => symlinkSync('/dev/zero', path.join(folder, 'audit.jsonl')),
    why: /\/audit\.jsonl": a symlink has its name\nhelp: /,
  },
  {
    name: 'a folder that may not be read',
    put: (folder) => chmodSync(folder, 0),
    why: /\/\.ion\/audit": no permission\nhelp: /,
    only: 'user',
  },
  {
    name: 'a log that may not be read',
    put: (folder) => writeFileSync(path.join(folder, 'audit.jsonl'), '', {mode: 0}),
    why: /\/audit\.jsonl": no permission\nhelp: /,
    only: 'user',
  },
];

testCases(
  'audit',
  obstacles.flatMap(({name, put, why, only, verbs = ['verify', 'list', 'tail']}) =>
    verbs.map((verb): Case => ({
      name: `${verb}: ${name}`,
      args: ['audit', verb],
      ...(only ? {only} : {}),
      before: ({home}, as) => {
        const folder = path.join(home, '.ion/audit');
        mkdirSync(folder, {recursive: true});
        giveTo(path.join(home, '.ion'), as);
        put(folder);
        if (only && process.getuid!() === 0)
          execFileSync('chown', ['-Rh', `${as.uid}:${as.gid}`, path.join(home, '.ion')]);
      },
      after: ({home}) => chmodSync(path.join(home, '.ion/audit'), 0o700),
      code: 125,
      stdout: '',
      stderr: new RegExp(`^ion: cannot read the audit log "[^"\n]*${why.source}[^\n]+\n$`),
    })),
  ),
);

testCases('audit', [
  {
    name: 'verify: no log yet',
    args: ['audit', 'verify'],
    stdout: `intact: 0 records, the last is 0 ${'0'.repeat(64)}\n`,
  },
  {
    name: 'verify: the head removed, the end cut, and one more run',
    args: ['audit', 'verify'],
    before: ({home, work}) => {
      const ion = path.resolve('bin/ion');
      const run = (): unknown =>
        execFileSync(process.execPath, [ion, 'run', 'true'], {cwd: work, env: {...process.env, HOME: home}});
      run();
      rmSync(path.join(home, '.ion/audit/head'));
      execFileSync('sed', ['-i', '$d', path.join(home, '.ion/audit/audit.jsonl')]);
      run();
    },
    only: 'root',
    code: 1,
    stdout: /^note: audit\.jsonl:4: head_missing \(\d+ bytes\)\n$/,
    stderr:
      /^ion: the audit log is broken at record 4: it was repaired after head_missing \(\d+ bytes\)\n --> [^\n]*\/\.ion\/audit\/audit\.jsonl:4\nhelp: [^\n]*\n$/,
  },
]);
