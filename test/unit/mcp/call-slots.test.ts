import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openSlots} from '../../../src/mcp/server/call-slots.ts';

const never = new AbortController().signal;
/** Until everything that can go on has gone on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls that work until the test ends them. */
function calls(limit: number) {
  const slots = openSlots(limit);
  const working = new Map<string, () => void>();
  let most = 0;
  const call = (name: string, signal = never): Promise<void> =>
    slots.run(signal, async () => {
      const ended = new Promise<void>((resolve) => working.set(name, resolve));
      most = Math.max(most, working.size);
      await ended;
      working.delete(name);
    });
  const end = (name: string): void => working.get(name)!();
  return {call, end, working: () => [...working.keys()].join(' '), most: () => most, slots};
}

test('call slots: so many work at once, and the others follow in their order', async () => {
  const {call, end, working, most} = calls(2);
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => call(name));
  await turn();
  assert.equal(working(), 'a b');
  end('b');
  await turn();
  assert.equal(working(), 'a c');
  end('a');
  end('c');
  await turn();
  assert.equal(working(), 'd e');
  end('d');
  end('e');
  await Promise.all(all);
  assert.equal(most(), 2);
});

test('call slots: whenever a new call comes, it does not take the slot of one that waits', async () => {
  const {slots, call, end, most} = calls(1);
  void slots.run(never, () => Promise.resolve());
  const all: Promise<void>[] = [];
  for (let step = 0; step < 10; step++) {
    all.push(call(String(step)));
    await Promise.resolve();
  }
  for (const [step, ended] of all.entries()) {
    await turn();
    end(String(step));
    await ended;
  }
  assert.equal(most(), 1);
});

test('call slots: a call that fails, and one that is cancelled while it waits, leave their slot to the next', async () => {
  const {slots, call, end, working} = calls(1);
  await assert.rejects(
    slots.run(never, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  const a = call('a');
  const controller = new AbortController();
  const b = call('b', controller.signal);
  const c = call('c');
  controller.abort(new Error('cancelled'));
  await assert.rejects(b, /cancelled/);
  await assert.rejects(call('d', controller.signal), /cancelled/);
  end('a');
  await a;
  await turn();
  assert.equal(working(), 'c');
  end('c');
  await c;
});
