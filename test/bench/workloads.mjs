// What the boundary costs while the work goes on: the same command inside and outside, the start taken out of both.
import {compare, time} from './measure.mjs';

const workloads = [
  {name: 'find /usr -type f', command: 'find /usr -type f'},
  {name: '1000 x fork and exec', command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done'},
  {
    name: '1000 x fork and exec, with deny rules',
    command: 'for ((i = 0; i < 1000; i++)); do /bin/true; done',
    config: '[permissions]\ndeny_commands = ["sudo *", "git push *", "npm publish *"]\n',
    goal: '<= 1.20',
  },
  {name: 'tar c /usr/share', command: 'tar cf - /usr/share 2>/dev/null | cat'},
  {
    name: '3000 small files',
    command: 'mkdir d && cd d && for ((i = 0; i < 3000; i++)); do echo $i > f$i; done && cd .. && rm -r d',
    goal: '<= 1.25',
  },
];

export function steady({report, ion, scratch, rounds, node, configFile}) {
  for (const {name, command, config, goal = '<= 1.10'} of workloads) {
    const flags = config === undefined ? [] : ['--config', configFile(config)];
    const inside = (script) => () => time(node, [ion, 'run', ...flags, script], {cwd: scratch});
    const outside = (script) => () => time('bash', ['-c', script], {cwd: scratch});
    const times = compare(
      {inside: inside(command), outside: outside(command), start: inside('true'), bash: outside('true')},
      Math.min(rounds, 15),
    );
    const less = (list, start) => list.map((ms, round) => ms - start[round]);
    report.ratio(
      `${name} (start taken out)`,
      less(times.inside, times.start),
      ['outside', less(times.outside, times.bash)],
      goal,
    );
  }
}
