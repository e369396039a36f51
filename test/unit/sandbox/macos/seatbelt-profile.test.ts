import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {SeatbeltPlan} from '../../../../src/sandbox/macos/seatbelt-plan.ts';
import {makeProfile} from '../../../../src/sandbox/macos/seatbelt-profile.ts';
import {seatbeltArgv} from '../../../../src/sandbox/macos/sandbox-exec.ts';
import {readPart, readPlan, rulesFor, rulesOf, writePlan} from './support.ts';

const command = ['/bin/bash', '--norc', '-c', 'echo "$HOME"; exit 3'];

/** The profile's text as lines, and one line per parameter, so that a reader can compare them. */
function shown(plan: SeatbeltPlan): string {
  const profile = makeProfile(plan, readPart);
  return `${seatbeltArgv(profile, command).join('\n')}\n`;
}

const goldens: Record<string, SeatbeltPlan> = {
  'write-none': writePlan,
  'read-none': readPlan,
  'write-full': {...writePlan, network: 'full', protect: [], denied: []},
  'write-loopback': {...writePlan, network: 'loopback', namedSockets: ['/private/tmp/agent.sock']},
};

for (const [name, plan] of Object.entries(goldens)) {
  test(`the argv of ${name} is the golden one`, () => {
    const file = path.resolve('test/unit/sandbox/macos/golden', `${name}.txt`);
    assert.equal(shown(plan), readFileSync(file, 'utf8'));
  });
}

const lists = [
  'read',
  'list',
  'write',
  'append',
  'localSockets',
  'namedSockets',
  'protect',
  'denied',
] as const;
const networks = ['none', 'loopback', 'full'] as const;

test('every combination of parameters gives a valid profile', () => {
  let seen = 0;
  for (const network of networks) {
    for (let bits = 0; bits < 1 << lists.length; bits++) {
      const left = lists.filter((_, index) => !(bits & (1 << index)));
      const empty = Object.fromEntries(left.map((key) => [key, []]));
      const plan = {
        ...writePlan,
        view: ['/private/tmp/view'],
        noExecute: ['/private/tmp/view'],
        append: ['/private/tmp/out'],
        namedSockets: ['/private/tmp/s'],
        ...empty,
        network,
      };
      rulesFor(plan);
      seen++;
    }
  }
  assert.equal(seen, 3 * 256);
});

test('every allow precedes every denial', () => {
  for (const plan of Object.values(goldens)) {
    const effects = rulesFor(plan)
      .slice(1)
      .map(({effect}) => effect);
    assert.ok(effects.lastIndexOf('allow') < effects.indexOf('deny'));
  }
});

test('every denial carries the tag', () => {
  for (const plan of Object.values(goldens)) {
    for (const {effect, message} of rulesFor(plan)) {
      assert.equal(message, effect === 'deny' ? `ion-${plan.tag}` : undefined);
    }
  }
});

test('every given parameter is used, and none is missing', () => {
  for (const plan of Object.values(goldens)) {
    const {text, parameters} = makeProfile(plan, readPart);
    const used = [...text.matchAll(/\(param "(\w+)"\)/g)].map(([, name]) => name);
    assert.deepEqual(new Set(used), new Set(parameters.map(([name]) => name)));
  }
});

test("a path cannot become part of the profile's text", () => {
  const evil = '/Users/u/")(allow default)(deny x "';
  const plan = {...writePlan, protect: [], denied: []};
  const plain = makeProfile(plan, readPart);
  const odd = makeProfile({...plan, write: [evil, ...plan.write.slice(1)], localSockets: [evil]}, readPart);
  assert.equal(odd.text, plain.text);
  assert.equal(rulesOf(odd).length, rulesOf(plain).length);
});

test('every file of profiles/macos is a part of some profile', () => {
  const read = new Set<string>();
  for (const network of networks) {
    makeProfile({...writePlan, network}, (name) => {
      read.add(`${name}.sb`);
      return readPart(name);
    });
  }
  assert.deepEqual(readdirSync('profiles/macos').sort(), [...read].sort());
});
