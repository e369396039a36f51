import assert from 'node:assert/strict';
import {test} from 'node:test';
import {losesWork} from '../../../../src/cli/state.ts';
import {foreseen} from '../../../../src/session/report/foreseen.ts';
import {messageFor} from '../../../../src/session/report/message-for.ts';
import {analyze} from '../../../../src/shell/parse/analyze.ts';

const paths = {
  cwd: '/home/u/w',
  home: '/home/u',
  roots: ['/home/u/w', '/usr'],
  withheld: [],
  writeRoots: ['/home/u/w', '/tmp'],
  protected: ['/home/u/w/.git/hooks'],
  realOf: (path: string) => (['/home/u/.netrc', '/home/u/other'].includes(path) ? path : undefined),
  isFolder: () => false,
  listsTop: true,
  remotes: () => [],
};
const facts = {
  network: 'none' as const,
  environmentRemoved: ['GITHUB_TOKEN'],
  protected: {existing: ['/home/u/w/.git/hooks'], absent: ['/home/u/w/.envrc'], holders: []},
};

/** The refusals that `ion check` predicts, each by a part of its line. */
const cases: readonly {command: string; network?: 'full'; want: readonly string[]}[] = [
  {command: 'make test', want: []},
  {command: 'curl example.com', want: ['"curl" needs the network, which is closed']},
  {command: '/usr/bin/curl example.com', want: ['"/usr/bin/curl" needs the network']},
  {command: 'curl --version', want: []},
  {command: 'curl example.com', network: 'full', want: []},
  {command: 'tool --from https://example.com/x', want: ['"https://example.com/x" needs the network']},
  {command: 'tool http://localhost:80/', want: []},
  {command: 'git clone git@github.com:a/b.git', want: ['"git@github.com:a/b.git" needs the network']},
  {command: 'git clone ../other', want: ['"../other" is outside the read roots']},
  {command: 'cat ~/.netrc', want: ['"~/.netrc" is outside the read roots']},
  {command: 'cat /nothing', want: []},
  {command: 'echo x > /srv/f', want: ['"/srv/f" is outside the write roots']},
  {command: 'echo x > f; echo y > /tmp/f; echo z > /dev/null', want: []},
  {command: 'echo x > .envrc', want: ['".envrc" is protected']},
  {command: 'echo x > .git/hooks/pre-commit', want: ['".git/hooks/pre-commit" is protected']},
  {command: 'cd /tmp && echo x > ../srv', want: []},
  {command: 'echo $GITHUB_TOKEN', want: ['the command did not get "GITHUB_TOKEN"']},
  {command: 'GITHUB_TOKEN=x make', want: []},
];
for (const {command, network = 'none', want} of cases) {
  test(`ion check ${command}${network === 'full' ? ' (network = "full")' : ''}: ${want.join(', ') || 'nothing is refused'}`, () => {
    const found = foreseen({analysis: analyze(command), text: command, facts: {...facts, network}, paths});
    const lines = found.map((one) => messageFor(one).text);
    assert.equal(lines.length, want.length, lines.join('\n'));
    for (const [index, part] of want.entries()) assert.ok(lines[index]!.includes(part), lines[index]);
  });
}

for (const [row, outsideWorkspace, path, warns] of [
  ['redirection', false, '/w/there', false],
  ['redirection', true, '/there', true],
  ['redirection', true, '/new', false],
  ['redirection', true, '$unknown', true],
  ['rm', false, '/w/new', true],
] as const) {
  test(`a warning of ${row} of ${path} ${outsideWorkspace ? 'outside' : 'inside'} the workspace: ${warns}`, () => {
    const fact = {
      row,
      outsideWorkspace,
      what: '',
      impactScope: [path],
      rollbackAdvice: '',
      span: {start: 0, end: 0},
    };
    assert.equal(
      losesWork(fact, (one) => one === '/there'),
      warns,
    );
  });
}
