import assert from 'node:assert/strict';
import {readFileSync, symlinkSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {identities, type Identity} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

/** One line that a runner would start: `shell` is GitHub's, with `{0}` for the file of the step. */
interface Line {
  readonly text: string;
  readonly shell: string;
}

/** What the runners start without `shell:`: GitHub's default, which is close to that of GitLab. */
const usual = '/bin/bash -e {0}';

/** The lines of a YAML block: `- run: X` with an optional `shell: Y` below, and the items of GitLab's `script:`. */
function linesOf(block: string): Line[] {
  return [...block.matchAll(/^ *- (?:run: )?(.*)\n(?: +shell: (.*)\n)?/gm)].map(([, text, shell]) => ({
    text: text!,
    shell: shell ?? usual,
  }));
}

const read = (file: string): string => readFileSync(file, 'utf8');
const blocks = (markdown: string): string[] =>
  [...markdown.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block]) => block!);
const documents: readonly {name: string; lines: Line[]}[] = [
  {name: 'docs/ci.md', lines: blocks(read('docs/ci.md')).flatMap(linesOf)},
  {
    name: 'examples/github-actions.yml',
    lines: linesOf(read('examples/github-actions.yml')).filter(({text}) => /^(?:ion|npm|cp) /.test(text)),
  },
];

/** Stands in for npm: it does what a change could do. */
const npm = '#!/bin/sh\necho "npm $*"\ntouch "$OUTSIDE" 2>/dev/null && echo outside || echo inside\n';

async function run(t: TestContext, as: Identity, {text, shell}: Line): Promise<Ended> {
  const scratch = makeScratch(t, as, {
    '/tools/npm': {text: npm, mode: 0o755},
    '/_temp/step.sh': `${text}\n`,
    '/_temp/ion.toml': '[permissions]\ndeny_commands = ["npm publish *"]\n',
    '.github/ion.toml': '',
    '~/.ion/config.toml': '',
  });
  const {root} = scratch;
  const bin = shellElsewhere(scratch);
  symlinkSync(ionFile, `${root}/tools/ion`);
  giveTo(root, as);
  const words = shell.split(' ').map((word) => word.replace('{0}', `${root}/_temp/step.sh`));
  return runProgram(scratch, words, {
    as,
    env: {
      PATH: `${root}/tools:${bin}:${process.env['PATH']}`,
      RUNNER_TEMP: `${root}/_temp`,
      OUTSIDE: `${scratch.home}/outside`,
    },
    timeoutMs: 120_000 * patience, // ion doctor tries every attack
  });
}

test('the documents have the lines that are tried', () => {
  assert.deepEqual(
    documents.map(({lines}) => lines.length),
    [7, 5],
  );
});

for (const as of identities) {
  for (const {name, lines} of documents) {
    for (const line of lines) {
      test(`${name}: ${line.shell === usual ? '' : `${line.shell}: `}${line.text} (${as.name})`, async (t) => {
        const {code, stdout, stderr} = await run(t, as, line);
        assert.equal(code, 0, stdout + stderr);
        const isNpm = /\bnpm (.*)$/.exec(line.text);
        // The step that installs ion is the only one of npm that runs outside.
        const where = line.text.includes('--global') ? 'outside' : 'inside';
        if (isNpm) assert.equal(stdout, `npm ${isNpm[1]}\n${where}\n`, stderr);
      });
    }
  }
}
