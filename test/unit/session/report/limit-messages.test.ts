import assert from 'node:assert/strict';
import {test} from 'node:test';
import {limitMessage} from '../../../../src/session/report/limit-messages.ts';

const limits: readonly (readonly [value: number, want: string])[] = [
  [2 ** 30 + 4096, 'stopped: the run passed its limit of memory, which is 1G'],
  [3 * 2 ** 29, 'stopped: the run passed its limit of memory (1.5G), which is 1G'],
];
for (const [value, want] of limits) {
  test(`a limit that was passed is told once: ${want}`, () => {
    const memoryBytes = {value: 2 ** 30, origin: {layer: 'default'}} as const;
    const {text} = limitMessage({kind: 'limit', limit: 'memory', value}, {memoryBytes});
    assert.equal(text, want);
  });
}
