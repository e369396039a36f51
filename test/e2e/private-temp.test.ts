import assert from 'node:assert/strict';
import {test} from 'node:test';
import {runInside} from '../corpus/run.ts';
import {settings} from '../corpus/settings.ts';
import {makeScratch} from '../harness/scratch.ts';

/** A private temp folder may be written, with and without namespaces. */
const cases = [
  {mode: 'read', command: 'seq 3 | tac', want: '3\n2\n1\n'},
  {
    mode: 'write',
    command: 'f=$(mktemp) && echo x > "$f" && cat "$f" && case $f in "$TMPDIR"/*) echo private;; esac',
    config: '[sandbox]\ntmp = "private"\n',
    want: 'x\nprivate\n',
  },
] as const;

for (const setting of settings) {
  for (const {want, ...row} of cases) {
    test(`a private temp folder in ${row.mode} mode (${setting.name})`, async (t) => {
      const scratch = makeScratch(t, setting.as);
      const {code, stdout, stderr} = await runInside({project: 'data', ...row}, setting, scratch);
      assert.deepEqual({code, stdout, stderr}, {code: 0, stdout: want, stderr: ''});
    });
  }
}
