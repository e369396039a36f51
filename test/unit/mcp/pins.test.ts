import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {acceptPins, openPins, waitingPins} from '../../../src/mcp/gateway/pins.ts';

function homeOf(t: TestContext): string {
  const home = mkdtempSync(path.join(tmpdir(), 'pins-'));
  t.after(() => rmSync(home, {recursive: true}));
  return home;
}

const tool = (name: string, description = 'does it') => ({name, description});

/** One connection that lists these tools as a whole. */
function connection(home: string, ...tools: readonly ReturnType<typeof tool>[]): string[] {
  const pins = openPins(home, 'x');
  const states = tools.map((one) => pins.look(one.name, one));
  pins.save(new Set(tools.map(({name}) => name)));
  return states;
}

test('pins: the first connection is accepted, also a tool that it shows later', (t) => {
  const pins = openPins(homeOf(t), 'x');
  assert.equal(pins.look('a', tool('a')), 'first');
  pins.save();
  assert.equal(pins.look('b', tool('b')), 'first');
  assert.equal(pins.look('a', tool('a', 'evil')), 'changed');
});

test('pins: later, what is new waits as what has changed does, and a renamed tool is new', (t) => {
  const home = homeOf(t);
  assert.deepEqual(connection(home, tool('a'), tool('b')), ['first', 'first']);
  assert.deepEqual(connection(home, tool('a', 'evil'), tool('c')), ['changed', 'new']);
  const {waiting, unlisted} = waitingPins(home, 'x');
  assert.deepEqual(
    waiting.map(({name, definition, accepted}) => [name, definition, accepted]),
    [
      ['a', tool('a', 'evil'), tool('a')],
      ['c', tool('c'), undefined],
    ],
  );
  assert.deepEqual(unlisted, ['b']);
  assert.deepEqual(connection(home, tool('a'), tool('c')), ['accepted', 'new'], 'a server that goes back');
  assert.deepEqual(
    waitingPins(home, 'x').waiting.map(({name}) => name),
    ['c'],
  );
});

test('pins: exactly what was seen is accepted', (t) => {
  const home = homeOf(t);
  connection(home, tool('a'), tool('b'));
  connection(home, tool('a', 'second'), tool('b', 'second'));
  const seen = waitingPins(home, 'x').waiting;
  connection(home, tool('a', 'third'), tool('b', 'second'));
  acceptPins(home, 'x', seen);
  assert.deepEqual(
    waitingPins(home, 'x').waiting.map(({name, accepted}) => [name, accepted]),
    [['a', tool('a', 'second')]],
  );
  assert.deepEqual(connection(home, tool('a', 'second'), tool('b', 'second')), ['accepted', 'accepted']);
});

test('pins: an answer counts in a connection that is open, and is not overwritten by it', (t) => {
  const home = homeOf(t);
  connection(home, tool('a'));
  const open = openPins(home, 'x');
  assert.equal(open.look('a', tool('a', 'second')), 'changed');
  assert.equal(open.look('c', tool('c')), 'new');
  open.save();
  acceptPins(home, 'x', waitingPins(home, 'x').waiting);
  open.look('d', tool('d'));
  open.save();
  assert.deepEqual(
    waitingPins(home, 'x').waiting.map(({name}) => name),
    ['d'],
  );
  open.refresh();
  assert.equal(open.look('a', tool('a', 'second')), 'accepted');
  assert.equal(open.look('c', tool('c')), 'accepted');
});

test('pins: names that rules treat as equal are one server', (t) => {
  const home = homeOf(t);
  connection(home, tool('a'));
  assert.equal(openPins(home, 'X').look('a', tool('a', 'evil')), 'changed');
});

test('pins: a damaged file accepts nothing', (t) => {
  const home = homeOf(t);
  connection(home, tool('a'));
  const file = path.join(home, '.ion/mcp/x.json');
  for (const text of ['', '{', 'null', '[', readFileSync(file, 'utf8').slice(0, 40)]) {
    writeFileSync(file, text);
    assert.throws(() => openPins(home, 'x'), /is damaged/, text);
  }
});

test('pins: no more definitions wait than have room, and each is still withheld', (t) => {
  const home = homeOf(t);
  connection(home, tool('a'));
  const pins = openPins(home, 'x');
  const large = 'x'.repeat(90_000);
  const states = Array.from({length: 60}, (_, number) => pins.look(`t${number}`, tool(`t${number}`, large)));
  assert.deepEqual(new Set(states), new Set(['new', 'full']));
  assert.equal(pins.look('a', tool('a', large)), 'full');
  assert.equal(pins.look('a', tool('a')), 'accepted');
});
