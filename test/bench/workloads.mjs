// What the boundary costs while the work goes on: the same command inside and outside, by the clock of the bash that does it.
import {makeFixtures} from './fixtures.mjs';
import {compare, timeOfWork} from './measure.mjs';

const workloads = [
  {name: 'find /usr -type f', command: 'find /usr -type f'},
  {name: '1000 x fork and exec', command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done'},
  {
    name: '1000 x fork and exec, with deny rules',
    command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done',
    config: '[permissions]\ndeny_commands = ["sudo *", "git push *", "npm publish *"]\n',
    goal: '',
  },
  {name: 'tar c /usr/share', command: 'tar cf - /usr/share 2>/dev/null | cat'},
  {
    name: '3000 small files',
    command: 'mkdir d && cd d && for ((i = 0; i < 3000; i++)); do echo $i > f$i; done && cd .. && rm -r d',
    goal: '<= 1.25',
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
    command: `mkdir d && node -e 'for (let i = 0; i < 3000; i++) fs.writeFileSync("d/f" + i, "x")' && rm -r d`,
    goal: '<= 1.25',
  },
  {name: '3000 small files, C', command: 'mkdir d && ./create d && rm -r d', goal: '<= 1.75'},
  {name: 'tar x of 2000 files', command: 'mkdir d && tar xf files.tar -C d && rm -r d', goal: '<= 1.70'},
  {name: 'git clone', command: 'git clone -q repository d && rm -rf d'},
  {
    name: 'npm ci, from the cache',
    command: 'cd npm && npm ci --offline --silent --no-audit --no-fund --cache ../npm-cache',
    needs: 'npm',
  },
];

/** The ioctl SECCOMP_IOCTL_NOTIF_SET_FLAGS fails, as before Linux 6.6: a question then wakes the supervisor on another processor. */
const noSyncWakeUp = `${process.arch === 'arm64' ? 29 : 16}:22:1:is:${0x40082104}`;

const makesFiles = /small files|tar x|git clone|npm ci/;

export function steady(bench) {
  for (const workload of workloads) work(bench, workload, workload);
}

/** Where nothing is told of what was refused. */
export function minimal(bench) {
  for (const workload of workloads) {
    work(bench, workload, {
      name: `${workload.name}, report = "minimal"`,
      config: `${workload.config ?? ''}[sandbox]\nreport = "minimal"\n`,
    });
  }
}

export function older(bench) {
  for (const workload of workloads.filter(({name}) => makesFiles.test(name))) {
    const through = ['./deny-syscalls', noSyncWakeUp, '--'];
    work(bench, workload, {name: `${workload.name}, as before Linux 6.6`, through, goal: ''});
  }
}

function work(bench, {command, needs}, {name, config, through = [], goal = '<= 1.10'}) {
  const {report, ion, scratch, rounds, node, configFile} = bench;
  bench.fixtures ??= makeFixtures(scratch);
  if (needs !== undefined && !bench.fixtures[needs]) return;
  const flags = config === undefined ? [] : ['--config', configFile(config)];
  const {inside, outside} = compare(
    {
      inside: () =>
        timeOfWork(command, (script) => [...through, node, ion, 'run', ...flags, script], scratch),
      outside: () => timeOfWork(command, (script) => [...through, 'bash', '-c', script], scratch),
    },
    rounds,
  );
  report.ratio(name, inside, ['outside', outside], goal);
}
