// The cost of the sandbox during the work: the same command inside and outside, timed by the bash that runs it.
//
// Each run uses a new empty folder, two levels below the scratch folder, and nothing is removed before the last
// measurement. On ext4 every new file skips the inodes that were freed in the last five minutes (fs/ext4/ialloc.c,
// recently_deleted). That makes files up to twenty times as expensive and hides other costs. For the same reason, wait five
// minutes between two runs of the benchmark.
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {makeFixtures} from './fixtures.mjs';
import {compare, timeOfWork} from './measure.mjs';

const workloads = [
  {name: 'find /usr -type f', command: 'find /usr -type f'},
  {
    name: '1000 x fork and exec',
    command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done',
    goal: '<= 1.05',
  },
  {
    name: '1000 x fork and exec, with deny rules',
    command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done',
    config: '[permissions]\ndeny_commands = ["sudo *", "git push *", "npm publish *"]\n',
    goal: '<= 1.20',
  },
  {name: 'tar c /usr/share', command: 'tar cf - /usr/share 2>/dev/null | cat'},
  {
    name: '3000 small files',
    command: 'for ((i = 0; i < 3000; i++)); do echo $i > f$i; done',
    goal: '<= 1.50',
  },
  {
    name: '1000 x posix_spawn, with deny rules',
    command: `/usr/bin/python3 -c 'import os
for i in range(1000): os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)'`,
    config: '[permissions]\ndeny_commands = ["sudo *", "git push *", "npm publish *"]\n',
    goal: '<= 1.20',
  },
  {
    name: '3000 small files, node',
    command: `node -e 'for (let i = 0; i < 3000; i++) fs.writeFileSync("f" + i, "x")'`,
    goal: '<= 1.50',
  },
  {name: '3000 small files, C', command: '../../create .', goal: '<= 1.45'},
  {name: 'tar x of 2000 files', command: 'tar xf ../../files.tar', goal: '<= 1.35'},
  {name: 'git clone of 2000 files', command: 'git clone -q ../../packed .', goal: '<= 1.45'},
  {
    name: 'git clone, with 2000 loose objects',
    command: 'git clone -q ../../repository .',
    goal: '<= 1.35',
  },
  {
    name: 'chmod -R and touch of 2000 files',
    command: 'tar xf ../../files.tar && { restart; chmod -R go-w . && find . -type f -exec touch {} +; }',
    goal: '',
  },
  {name: 'rm -r of 2000 files', command: 'tar xf ../../files.tar && { restart; rm -r ./*; }', goal: ''},
  {
    name: 'npm ci, from the cache',
    command:
      'cp ../../npm/package*.json . && npm ci --offline --silent --no-audit --no-fund --cache ../../npm-cache',
    needs: 'npm',
  },
];

/**
 * The ioctl SECCOMP_IOCTL_NOTIF_SET_FLAGS fails, as before Linux 6.6. Then a notification wakes the supervisor on another
 * processor.
 */
const noSyncWakeUp = `${process.arch === 'arm64' ? 29 : 16}:22:1:is:${0x40082104}`;

const makesFiles = /small files|tar x|git clone|npm ci/;

export function steady(bench) {
  for (const workload of workloads) work(bench, workload, workload);
}

/** The other values of sandbox.report: refusals not reported, and changes of metadata reported too. */
export const minimal = withReport('minimal', '<= 1.10');
export const all = withReport('all', '');

function withReport(level, goal) {
  return (bench) => {
    for (const workload of workloads) {
      work(bench, workload, {
        name: `${workload.name}, report = "${level}"`,
        config: `${workload.config ?? ''}[sandbox]\nreport = "${level}"\n`,
        goal,
      });
    }
  };
}

export function older(bench) {
  for (const workload of workloads.filter(({name}) => makesFiles.test(name))) {
    const through = ['./deny-syscalls', noSyncWakeUp, '--'];
    work(bench, workload, {name: `${workload.name}, as before Linux 6.6`, through, goal: ''});
  }
}

/**
 * The minimum cost of a supervisor with a seccomp listener: this one answers the same notifications without checking them.
 */
export function floor(bench) {
  bench.fixtures ??= makeFixtures(bench.scratch);
  for (const {name, command, needs} of workloads.filter(({name}) => makesFiles.test(name))) {
    if (needs !== undefined && !bench.fixtures[needs]) continue;
    const subject = (script) => ['./bare-listener', 'bash', '-c', script];
    against(bench, command, `${name}, a listener that does not look`, subject);
  }
}

function work(bench, {command, needs}, {name, config, through = [], goal = '<= 1.10'}) {
  const {ion, node, configFile} = bench;
  bench.fixtures ??= makeFixtures(bench.scratch);
  if (needs !== undefined && !bench.fixtures[needs]) return;
  const flags = config === undefined ? [] : ['--config', configFile(config)];
  const subject = (script) => [...through, node, ion, 'run', ...flags, script];
  against(bench, command, name, subject, {through, goal});
}

let folders = 0;

function against({report, scratch, rounds}, command, name, subject, {through = [], goal = ''} = {}) {
  const timed = (words) => () => {
    const folder = path.join('work', String(folders++));
    mkdirSync(path.join(scratch, folder), {recursive: true});
    return timeOfWork(`cd ${folder} && ${command}`, words, scratch);
  };
  const {inside, outside} = compare(
    {inside: timed(subject), outside: timed((script) => [...through, 'bash', '-c', script])},
    rounds,
  );
  report.ratio(name, inside, ['outside', outside], goal);
}
