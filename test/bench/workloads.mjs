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
  {
    name: '3000 small files, C, report = "minimal"',
    command: 'mkdir d && ./create d && rm -r d',
    config: '[sandbox]\nreport = "minimal"\n',
  },
  {name: 'tar x of 2000 files', command: 'mkdir d && tar xf files.tar -C d && rm -r d', goal: '<= 1.70'},
  {name: 'git clone', command: 'git clone -q repository d && rm -rf d'},
  {
    name: 'npm ci, from the cache',
    command: 'cd npm && npm ci --offline --silent --no-audit --no-fund --cache ../npm-cache',
    needs: 'npm',
  },
];

export function steady({report, ion, scratch, rounds, node, configFile}) {
  const has = makeFixtures(scratch);
  const possible = workloads.filter(({needs}) => needs === undefined || has[needs]);
  for (const {name, command, config, goal = '<= 1.10'} of possible) {
    const flags = config === undefined ? [] : ['--config', configFile(config)];
    const {inside, outside} = compare(
      {
        inside: () => timeOfWork(command, (script) => [node, ion, 'run', ...flags, script], scratch),
        outside: () => timeOfWork(command, (script) => ['bash', '-c', script], scratch),
      },
      rounds,
    );
    report.ratio(name, inside, ['outside', outside], goal);
  }
}
