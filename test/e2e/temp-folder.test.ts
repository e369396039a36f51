import {accessSync} from 'node:fs';
import {testCases} from '../harness/cases.ts';

const elsewhere = 'it is not below /tmp, /var/tmp, /dev/shm or the temp folders of the runtime folder';

const refused = (folder: string, why: string): string =>
  `ion: ignored: TMPDIR="${folder}" is not a temp folder (${why}); "/tmp" is used\n` +
  `help: for this run: --set sandbox.write_roots+=${folder}; for all: sandbox.write_roots = ["${folder}"] in ~/.ion/config.toml\n`;

testCases('TMPDIR', [
  {
    name: 'a system folder is not a temp folder',
    only: 'root',
    env: {TMPDIR: '/etc'},
    args: ['run', 'echo $TMPDIR; t=$(mktemp) && rm "$t"; ! touch /etc/ion-test 2>/dev/null'],
    stdout: '/tmp\n',
    stderr:
      /^ion: ignored: TMPDIR="\/etc" is not a temp folder \(it is not below \/tmp, \/var\/tmp, \/dev\/shm or the temp folders of the runtime folder\); "\/tmp" is used\nhelp: .*\nion: blocked/,
  },
  {
    name: 'a user cannot make a system folder one either',
    only: 'user',
    env: {TMPDIR: '/usr'},
    args: ['run', 'echo $TMPDIR'],
    stdout: '/tmp\n',
    stderr: refused('/usr', elsewhere),
  },
  {
    name: 'home is not a temp folder',
    env: {TMPDIR: '{home}'},
    args: ['run', 'echo $TMPDIR'],
    stdout: '/tmp\n',
    stderr: refused('{home}', 'it is your home folder or a parent of it'),
  },
  {
    name: 'folders with settings of programs are not',
    files: {'~/.config/autostart/': ''},
    env: {TMPDIR: '{home}/.config'},
    args: ['run', 'echo $TMPDIR'],
    stdout: '/tmp\n',
    stderr: refused('{home}/.config', 'it is in your home folder'),
  },
  {
    name: 'read mode makes its private folder elsewhere too',
    env: {TMPDIR: '{home}/.config'},
    files: {'~/.config/': ''},
    args: ['run', '--read', 'true'],
    stderr: refused('{home}/.config', 'it is in your home folder'),
    after: ({home}) => accessSync(`${home}/.config`),
  },
  {
    name: 'a folder below /var/tmp is',
    files: {'/tmp/': ''},
    env: {TMPDIR: '{root}/tmp'},
    args: ['run', 'echo x > $TMPDIR/f && cat $TMPDIR/f'],
    stdout: 'x\n',
  },
  {
    name: "a folder of the user's in home is, if the config lists it",
    files: {'~/tmp/': '', '~/.ion/config.toml': 'sandbox.write_roots = ["~/tmp"]'},
    env: {TMPDIR: '{home}/tmp'},
    args: ['run', 'echo $TMPDIR && echo x > $TMPDIR/f && cat $TMPDIR/f'],
    stdout: '{home}/tmp\nx\n',
  },
  {
    name: 'without a sandbox it is passed on',
    env: {TMPDIR: '{home}'},
    args: ['run', '--no-sandbox', 'echo $TMPDIR'],
    stdout: '{home}\n',
    stderr: 'ion: no sandbox: the command is not confined, and no path is checked\n',
  },
]);
