import assert from 'node:assert/strict';
import {test} from 'node:test';
import {takenOutMessage} from '../../../../src/session/report/taken-out.ts';

/** After a run that failed, where NPM_TOKEN and MY_KEY were taken out: which of them its text asks for. */
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
  test(`taken out of the environment: ${text}`, () => {
    const message = takenOutMessage(text, ['NPM_TOKEN', 'MY_KEY']);
    const keep = want.map((name) => `"${name}"`).join(', ');
    assert.equal(message?.help?.includes(`environment.keep = [${keep}] `) ?? false, want.length > 0);
    for (const name of want) assert.ok(message?.text.includes(`"${name}"`), message?.text);
  });
}

test('taken out of the environment: a name that is a pattern is no pattern', () => {
  assert.equal(takenOutMessage('a.b', ['a.b', '(']), undefined);
});
