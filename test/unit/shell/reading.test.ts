import {test} from 'node:test';
import assert from 'node:assert/strict';
import {checkCommand} from './support.ts';
import {reading, refused} from './tables/reading.ts';

for (const command of reading) {
  const want = refused.get(command) ?? 'safe';
  test(`${JSON.stringify(command)}: ${want}`, () => {
    const verdict = checkCommand(command);
    const piece = verdict.safe ? '' : command.slice(verdict.span.start, verdict.span.end);
    assert.equal(verdict.safe ? 'safe' : `${piece}: ${verdict.why}`, want);
  });
}

test('of 200 commands that only read, at least 186 pass', () => {
  assert.equal(new Set(reading).size, 200);
  assert.ok(reading.filter((command) => checkCommand(command).safe).length >= 186);
});
