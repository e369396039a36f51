import assert from 'node:assert/strict';
import {test} from 'node:test';
import {messageFor} from '../../../../src/session/report/message-for.ts';
import {namedPathsRefused} from '../../../../src/session/report/named-paths-refused.ts';
import {absolutePath} from '../../../../src/shell/paths.ts';
import {analyze} from '../../../../src/shell/parse/analyze.ts';

const readable = [
  '/home/u',
  '/home/u/other',
  '/home/u/other/x',
  '/home/u/w/f',
  '/home/u/w/.vscode',
  '/home/u/w/.vscode/x',
  '/home/u/w',
  '/srv/origin',
  '/home/u/other.conf',
  '/etc/shadow',
  '/etc/ssh/x',
  '/etc/ssh/y',
  '/etc/ssh',
];
const links: Record<string, string> = {'/home/u/w/link': '/srv/origin', '/home/u/inside': '/home/u/w/f'};

/** The closing lines after a run that failed without a reported refusal, by a part of each. */
const cases: readonly {command: string; remotes?: readonly string[]; want: readonly string[]}[] = [
  {command: 'make test', want: []},
  {command: 'cat f', want: []},
  {command: 'mount /srv/origin /mnt', want: []},
  {command: 'umount /srv/origin; cat /srv/origin', want: ['"/srv/origin"']},
  {command: 'cat ../other/x', want: ['"../other/x" is outside the read roots']},
  {command: 'cat ~/other/x && false', want: ['"~/other/x"']},
  {command: 'tool --config=/home/u/other.conf', want: ['"--config=/home/u/other.conf"']},
  {command: 'sort < ../other/x', want: ['"../other/x"']},
  {command: 'cat ../nothing', want: []},
  {command: 'cat link', want: ['"link"']},
  {command: 'cat ~/inside', want: []},
  {command: 'cat ~/other/*', want: []},
  {command: 'cat $DIR/../../other', want: []},
  {command: 'tr / - < /dev/null', want: []},
  {command: 'cat ../other/x ../other/x', want: ['"../other/x"']},
  // The folder in which a word is resolved is unknown, so nothing is reported.
  {command: 'cd sub && make; cd .. && npm test', want: []},
  {command: 'cd sub && cat ~/other/x', want: ['"~/other/x"']},
  // Except the target of the first cd.
  {command: 'cd ../other && cat x', want: ['"../other"']},
  {command: 'cd ~/other; ls', want: ['"~/other"']},
  {command: 'cd sub && cd ../../other && ls', want: []},
  {command: 'cat /etc/hosts /etc/shadow /etc/ssh/x', want: ['"/etc/shadow"']},
  // The folder was listed. Only its contents are closed.
  {command: 'ls /etc/ssh; cat /etc/ssh/y', want: ['"/etc/ssh/y"']},
  {command: 'ls /', want: ['"/" is outside the read roots']},
  {command: 'ls -la /*', want: ['"/"']},
  {command: 'cd / && ls', want: ['"/"']},
  {command: 'cd / && cd usr && ls', want: []},
  {command: 'echo /', want: []},
  {command: 'git fetch', remotes: ['/srv/origin'], want: ['"/srv/origin"']},
  {command: 'git push origin main', remotes: ['../other'], want: ['"../other" is outside the write roots']},
  {command: 'git -C . push ../other main', want: ['"../other" is outside the write roots']},
  {command: 'git fetch ../other push', want: ['"../other" is outside the read roots']},
  {command: 'git clone ../other x', remotes: ['/srv/origin'], want: ['"../other"']},
  {command: 'rm ../other/x', want: ['"../other/x" is outside the write roots']},
  {command: 'chmod 644 .vscode/x', want: ['".vscode/x" is protected']},
  {command: 'rm -rf .vscode f', want: ['".vscode" is protected or contains a protected file']},
  {command: 'cd / && rm -rf /home/u/w', want: ['"/home/u/w" is protected or contains a protected file']},
  {command: 'mv . /tmp', want: ['"." is protected or contains a protected file']},
  // Moving something into a folder does not remove the folder.
  {command: 'mv nothing .', want: []},
  {command: 'mv -t . nothing', want: []},
  {command: 'mv f .vscode', want: ['".vscode" is protected']},
  {command: 'rm f nothing', want: []},
  {command: 'chmod u+w . ; false', want: []},
  {command: 'touch -r /etc/hosts f', want: []},
  {command: 'chmod --reference=../other/x f', want: ['"--reference=../other/x" is outside the read roots']},
  {command: 'cat .vscode/x', want: []},
  {command: 'git log', remotes: ['/srv/origin'], want: []},
];

for (const {command, remotes = [], want} of cases) {
  test(`a path that the command names and could not use: ${command}`, () => {
    const messages = namedPathsRefused(analyze(command), {
      cwd: '/home/u/w',
      home: '/home/u',
      roots: ['/usr', '/home/u/w', '/tmp', '/etc', '/etc/ssh/x'],
      withheld: ['/etc/shadow', '/etc/ssh'],
      writeRoots: ['/home/u/w', '/tmp'],
      protected: ['/home/u/w/.vscode'],
      realOf: (path) => links[path] ?? (readable.includes(path) ? path : undefined),
      isFolder: (path) => path === '/etc/ssh',
      listsTop: false,
      remotes: () => remotes.map((requested) => ({requested, path: absolutePath(requested, '/home/u/w')})),
    }).map(messageFor);
    assert.equal(messages.length, want.length, JSON.stringify(messages));
    for (const [index, part] of want.entries()) assert.ok(messages[index]!.text.includes(part));
  });
}
