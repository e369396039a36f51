import {setImmediate as soon} from 'node:timers/promises';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {EventBodies, EventType} from '../../../src/audit/events.ts';
import {openRecorder} from '../../../src/session/recorder.ts';

const ignored: EventBodies['config.ignored'] = {key: 'k', value: 'v', at: 'f', why: 'w'};
const requested: EventBodies['permission.requested'] = {
  ...{approval_action_id: 'a', expires_at: 't', decision_reason: 'r', message: 'm', destructive: false},
  action: {tool: 'bash', class: 'shell', command: 'c', paths: [], mcp_server: null},
};

/** The events of each append. The first `fails` appends throw, as those of a required log do. */
function recorded(fails = 0) {
  const appends: EventType[][] = [];
  let left = fails;
  const append = (events: readonly {readonly type: EventType}[]): void => {
    if (left-- > 0) throw new Error('the disk is full');
    appends.push(events.map(({type}) => type));
  };
  return {appends, recorder: openRecorder({append}, undefined)};
}

test('a question is in the log before its answer, with the events before it', () => {
  const {appends, recorder} = recorded();
  recorder.emit('config.ignored', ignored);
  assert.deepEqual(appends, []);
  recorder.emit('permission.requested', requested);
  assert.deepEqual(appends, [['config.ignored', 'permission.requested']]);
});

test('simultaneous events are one append', async () => {
  const {appends, recorder} = recorded();
  for (let i = 0; i < 3; i++) {
    recorder.emit('config.ignored', ignored);
    recorder.flushSoon();
  }
  await soon();
  await soon();
  assert.deepEqual(appends, [['config.ignored', 'config.ignored', 'config.ignored']]);
});

test('a hundred early appends, and the rest at the end', async () => {
  const {appends, recorder} = recorded();
  for (let i = 0; i < 150; i++) {
    recorder.emit('config.ignored', ignored);
    recorder.flushSoon();
    await soon();
  }
  await soon();
  assert.equal(appends.length, 100);
  recorder.flush();
  assert.equal(appends.flat().length, 150);
});

test('an early append that fails does not throw, and loses nothing', async () => {
  const {appends, recorder} = recorded(1);
  recorder.emit('config.ignored', ignored);
  recorder.flushSoon();
  await soon();
  await soon();
  assert.deepEqual(appends, []);
  recorder.flush();
  assert.deepEqual(appends, [['config.ignored']]);
});
