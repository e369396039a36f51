import assert from 'node:assert/strict';
import {test} from 'node:test';
import {withQuestions} from '../../../../src/sandbox/plan/relay-plan.ts';

const relay = (...allow: string[]) => ({
  relay: {allow, deny: [], nameServers: [], searchDomains: [], pinnedHosts: [], closedServers: true},
});

test('questions about names add a rule that asks, and no port but 443', () => {
  const {allow} = withQuestions(relay('- 80,8080 ok.example'), ['yes.example']).relay;
  assert.deepEqual(allow, ['- 80,8080 ok.example', '- 443 yes.example', 'q 443 *']);
  assert.deepEqual(withQuestions(relay(), []).relay.allow, ['q 443 *']);
});

test('without a relay, or with lists that are full, there are no questions', () => {
  const ports = Array.from({length: 64}, (_, n) => `- ${n + 1000} n${n}.example`);
  const rules = Array.from({length: 512}, (_, n) => `- 443 n${n}.example`);
  for (const full of [{relay: undefined}, relay(...ports), relay(...rules)])
    assert.equal(withQuestions<{relay?: ReturnType<typeof relay>['relay'] | undefined}>(full, []), full);
  assert.equal(withQuestions(relay(...ports.slice(1)), []).relay.allow.length, 64);
});
