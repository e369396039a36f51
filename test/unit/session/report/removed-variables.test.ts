import assert from 'node:assert/strict';
import {test} from 'node:test';
import {missedVariables} from '../../../../src/session/report/removed-variables.ts';

/** After a failed run without NPM_TOKEN and MY_KEY: which of them its text mentions. */
const cases: readonly {readonly text: string; readonly want: readonly string[]}[] = [
  {text: 'npm publish', want: []},
  {text: 'curl -H "auth: $NPM_TOKEN" x', want: ['NPM_TOKEN']},
  {text: 'curl -u "${MY_KEY}:${NPM_TOKEN:?}" x', want: ['NPM_TOKEN', 'MY_KEY']},
  {text: `python3 -c 'import os; os.environ["MY_KEY"]'`, want: ['MY_KEY']},
  {text: 'printenv MY_KEY', want: ['MY_KEY']},
  {text: 'NPM_TOKEN=x npm publish', want: []},
  {text: 'export NPM_TOKEN=x; npm publish', want: []},
  {text: 'echo $NPM_TOKENS $MY_KEY_2 $OMY_KEY', want: []},
];

for (const {text, want} of cases) {
  test(`removed from the environment: ${text}`, () => {
    assert.deepEqual(missedVariables(text, ['NPM_TOKEN', 'MY_KEY']), want);
  });
}

test('removed from the environment: a name is not used as a pattern', () => {
  assert.deepEqual(missedVariables('a.b', ['a.b', '(']), []);
});
