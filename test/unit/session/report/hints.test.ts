import assert from 'node:assert/strict';
import {test} from 'node:test';
import {hintsFor} from '../../../../src/session/report/hints.ts';
import {addressIn} from '../../../../src/session/report/foreseen.ts';
import {analyze} from '../../../../src/shell/parse/analyze.ts';

const nameServer = {program: '/p', target: '192.0.2.1:53', rule: 'network'} as const;

/** The hints after a failed run. Each is recognised by one word of it. */
const cases: readonly {
  command: string;
  signs?: boolean;
  hasHusky?: boolean;
  stopsYarn?: readonly string[];
  reported?: readonly {program: string; target: string; rule?: 'network'}[];
  want: readonly string[];
}[] = [
  {command: 'make test', want: []},
  {command: 'sudo ls', want: ['"sudo"']},
  {command: 'cd x && /usr/bin/sudo -n make install || sudo ls', want: ['"sudo"']},
  {command: 'doas reboot', want: ['"doas"']},
  {command: 'su -c ls', want: ['"su"']},
  {command: 'echo sudo', want: []},
  {command: 'git commit -m x', want: []},
  {command: 'git commit -m x', signs: true, want: ['sign']},
  {command: 'git -C a commit -S -m x', want: ['sign']},
  {command: 'git commit -S --no-gpg-sign', signs: true, want: []},
  {command: 'git commit -s -m "signed off"', want: []},
  {command: 'git tag -s v1', want: ['sign']},
  {command: 'git log', signs: true, want: []},
  {command: 'chromium --headless x', want: ['"chromium"']},
  {command: 'google-chrome --headless --no-sandbox x', want: []},
  {command: 'unshare -r id', want: ['"unshare" needs its own namespaces']},
  {command: 'bwrap --ro-bind / / true', want: ['"bwrap" needs its own namespaces']},
  {command: 'perf stat make', want: ['"perf" reads the kernel']},
  {command: 'dmesg | tail', want: ['"dmesg"']},
  {command: 'ss -tlnp', want: ['"ss" needs netlink']},
  {command: 'ping -c1 127.0.0.1', want: ['"ping" needs raw sockets']},
  {command: 'sudo tcpdump -c1', want: ['"sudo"', '"tcpdump"']},
  {command: 'mount', want: []},
  {command: 'mount /dev/x /mnt', want: ['"mount"']},
  {command: 'env umount /mnt', want: ['"umount"']},
  {command: 'apt-get update && apt-get install -y x', want: ['"apt-get"']},
  {command: 'dpkg -i x.deb', want: ['"dpkg"']},
  {command: 'dpkg -l | grep x', want: []},
  {command: 'pacman -Syu', want: ['"pacman"']},
  {command: 'npm install', want: []},
  {command: 'npm ci --offline', want: ['"npm" cannot see its cache in home']},
  {command: 'pip install x', reported: [nameServer], want: ['"pip" cannot see its cache']},
  {command: 'cargo build --offline', want: []},
  {command: 'pnpm install --offline', want: []},
  {
    command: 'curl -s https://example.com/x',
    reported: [nameServer],
    want: ['looked up for "https://example.com/x"'],
  },
  {command: 'curl -s https://example.com/x', want: []},
  {command: 'make', reported: [nameServer], want: []},
  {command: 'npm install', hasHusky: true, want: ['husky']},
  {command: 'yarn', hasHusky: true, want: ['husky']},
  {command: 'yarn add x', stopsYarn: ['~/.npmrc', '~/.yarnrc'], want: ['"~/.npmrc" and "~/.yarnrc"']},
  {command: 'yarn add x', stopsYarn: ['~/.npmrc'], hasHusky: true, want: ['"~/.npmrc"', 'husky']},
  {command: 'npm ci', stopsYarn: ['~/.npmrc'], want: []},
  {command: 'npx husky', hasHusky: true, want: ['husky']},
  {command: 'npm run build', hasHusky: true, want: []},
  {command: 'make', hasHusky: true, want: []},
  {command: 'npm ci', hasHusky: true, reported: [{program: '/n', target: '/w/.husky/_/h'}], want: []},
  {command: 'npm ci', hasHusky: true, reported: [{program: '/n', target: '/w/.huskyrc'}], want: ['husky']},
  {command: 'apt-get install x', reported: [{program: '/usr/bin/apt-get', target: '/var/lib/x'}], want: []},
  {command: 'apt-get install x', reported: [{program: '/usr/bin/sh', target: '/x'}], want: ['"apt-get"']},
];

for (const {command, signs = false, hasHusky = false, stopsYarn = [], reported = [], want} of cases) {
  const when = reported.map(({program, target}) => `, ${program} was refused ${target}`).join('');
  test(`hint: ${command}${signs ? ', with signatures asked for' : ''}${when}`, () => {
    const messages = hintsFor({
      segments: analyze(command).segments,
      signs: () => signs,
      hasHusky: () => hasHusky,
      stopsYarn: () => stopsYarn,
      reported: reported.map((one) => ({rule: 'outside', ...one})),
      hasCache: (program) => program !== 'pnpm',
      address: addressIn(command),
    });
    assert.equal(messages.length, want.length, JSON.stringify(messages));
    for (const [index, word] of want.entries()) assert.ok(messages[index]!.text.includes(word));
  });
}
