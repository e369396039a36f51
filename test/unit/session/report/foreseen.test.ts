import assert from 'node:assert/strict';
import {test} from 'node:test';
import {foreseen} from '../../../../src/session/report/foreseen.ts';
import {messageFor} from '../../../../src/session/report/message-for.ts';
import {destructiveFacts} from '../../../../src/shell/dangerous/destructive.ts';
import {losesWork} from '../../../../src/shell/dangerous/loses-work.ts';
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
  {command: 'echo $GITHUB_TOKEN', want: ['the command does not get "GITHUB_TOKEN"']},
  {command: 'GITHUB_TOKEN=x make', want: []},
  {command: 'npm ci', want: ['"npm ci" needs the network, which is closed, for what is not in its cache']},
  {command: 'npm ci --offline', want: []},
  {command: 'npm test', want: []},
  {command: 'npm ci', network: 'full', want: []},
  {command: 'pip install -e .', want: []},
  {command: 'git push origin main', want: ['"git push" needs the network, which is closed']},
  {command: 'git remote -v; git status', want: []},
  {command: 'sudo make install', want: ['"sudo" cannot become another user']},
  {command: 'ping -c1 example.com', want: ['"ping" needs raw sockets']},
  {command: 'mkdir ~/made', want: ['"~/made" is outside the write roots']},
  {command: 'touch /srv/x y', want: ['"/srv/x" is outside the write roots']},
  {command: 'touch -r /srv/x y', want: []},
  {command: 'cp -r src /srv/x', want: ['"/srv/x" is outside the write roots']},
  {command: 'cp /usr/bin/true there', want: []},
  {command: 'ln -s /srv/x', want: []},
  {command: 'make | tee -a /srv/log', want: ['"/srv/log" is outside the write roots']},
  {command: 'mkdir .git/hooks/x', want: ['".git/hooks/x" is protected']},
  {command: 'cp ~/.netrc /srv/x', want: ['"~/.netrc" is outside the read roots', '"/srv/x" is outside']},
];
for (const {command, network = 'none', want} of cases) {
  test(`ion check ${command}${network === 'full' ? ' (network = "full")' : ''}: ${want.join(', ') || 'nothing is refused'}`, () => {
    const found = foreseen({analysis: analyze(command), text: command, facts: {...facts, network}, paths});
    const lines = found.map((one) => messageFor(one).text);
    assert.equal(lines.length, want.length, lines.join('\n'));
    for (const [index, part] of want.entries()) assert.ok(lines[index]!.includes(part), lines[index]);
  });
}

/** Which commands lose work, where `/there`, `/w/src` and `/w/build` exist. */
for (const [command, warns] of [
  ['echo x > src/f', false],
  ['echo x > /there', true],
  ['echo x > /new', false],
  ['echo x > "$unknown"', true],
  ['rm -rf build node_modules', false],
  ['rm -rf build/*', false],
  ['rm -rf a/dist/x', false],
  ['rm -rf cmake-build-debug', false],
  ['echo x > $name.c', false],
  ['echo x > "$folder/log"', true],
  ['echo x > ~/$name', true],
  ['echo x > ../$name', true],
  ['echo x > /there', true],
  ['rm -rf build src', true],
  ['rm -rf src', true],
  ['rm -rf *', true],
  ['rm -rf .', true],
  ['rm -rf build/../src', true],
  ['rm -rf /there/build', true],
  ['rm -rf "$unknown"', true],
  ['rm -rf nothing', false],
  ['rm -f src/f', false],
  ['rm -f /there', true],
  ['git reset --hard', true],
  ['git push --force', true],
  ['dd if=/dev/zero of=f', true],
] as const) {
  test(`a warning that "${command}" loses work: ${warns}`, () => {
    const facts = destructiveFacts(analyze(command), {cwd: '/w', home: '/home/u', workspace: '/w'});
    assert.ok(facts.length > 0);
    const there = ['/there', '/there/build', '/w', '/w/src', '/w/build'];
    assert.equal(
      facts.some((fact) => losesWork(fact, (one) => there.includes(one))),
      warns,
    );
  });
}
