import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {makeScratch} from '../harness/scratch.ts';

/** A command line, and words that must be among its completions. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['ion ', ['run', 'check', 'audit', 'completion']],
  ['ion audit ', ['list', 'verify']],
  ['ion audit verify --', ['--json']],
  ['ion run --', ['--read', '--no-sandbox', '--timeout']],
  ['ion config --s', ['--schema']],
  ['ion completion ', ['bash', 'zsh', 'fish']],
];

const completers: Readonly<Record<'bash' | 'fish', (line: string) => string>> = {
  bash: (line) => {
    const words = line.split(' ');
    return `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _ion; echo "\${COMPREPLY[@]}"`;
  },
  fish: (line) => `complete -C '${line}'`,
};

function runScript(shell: string, script: string, home: string): {stdout: string; stderr: string} {
  return spawnSync(shell, ['-c', script], {
    cwd: home,
    encoding: 'utf8',
    env: {PATH: '/usr/bin:/bin', HOME: home},
  });
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`ion completion ${shell}`, (t) => {
    if (!requireProgram(t, shell)) return;
    const {work} = makeScratch(t, plain);
    const script = spawnSync(process.execPath, [ionFile, 'completion', shell], {encoding: 'utf8'}).stdout;
    // The completions of zsh need a terminal. Its script comes from the same table; here it must parse.
    if (shell === 'zsh') return assert.equal(spawnSync('zsh', ['-n'], {input: script}).status, 0);
    for (const [line, wanted] of lines) {
      const {stdout, stderr} = runScript(shell, `${script}\n${completers[shell](line)}`, work);
      const found = stdout.split(/\s+/);
      const missing = wanted.filter((word) => !found.includes(word));
      assert.deepEqual(missing, [], `${line}: ${stdout}${stderr}`);
    }
  });
}

test('ion completion: of an unknown shell', () => {
  const {status, stderr} = spawnSync(process.execPath, [ionFile, 'completion', 'tcsh'], {encoding: 'utf8'});
  assert.equal(status, 125);
  assert.equal(
    stderr,
    'ion: there is no completion for "tcsh"\nhelp: one of: ion completion bash, ion completion zsh, ion completion fish\n',
  );
});
