import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Origin} from '../../../src/config/settings.ts';
import {renderMessage} from '../../../src/errors.ts';
import {violationMessages, violationRecord, type CountedViolation} from '../../../src/session/violations.ts';
import {inUserFile} from '../policy/support.ts';

const refused: CountedViolation = {
  operation: 'read',
  syscall: 'openat',
  number: 1,
  rule: 'denied-path',
  pid: 7,
  program: '/usr/bin/cat',
  target: '/home/u/.ssh/id',
  detail: '/home/u/.ssh',
  count: 1,
};

const cases: readonly {name: string; origin: Origin; at: string; help: string}[] = [
  {
    name: 'one that a config says',
    origin: inUserFile(4),
    at: ' --> ~/.ion/config.toml:4\n',
    help: 'denied_paths hold in every mode; take the entry out of your own config to open it',
  },
  {
    name: "one of ion's own",
    origin: {layer: 'default'},
    at: '',
    help: "denied_paths hold in every mode, and this one is ion's own: only --no-sandbox opens it",
  },
];
for (const {name, origin, at, help} of cases) {
  test(`a refusal by a denied path says what opens it: ${name}`, () => {
    const deniedPaths = [{value: '/home/u/.ssh', origin}];
    const [message] = violationMessages(
      {list: [refused], untold: 0},
      {expected: [], deniedPaths, hasFailed: true},
    );
    assert.equal(
      renderMessage(message!),
      'ion: blocked: cat (pid 7) could not read "/home/u/.ssh/id" (openat: denied by denied_paths "/home/u/.ssh")\n' +
        `${at}help: ${help}\n`,
    );
    assert.equal(violationRecord(refused, 'r', {deniedPaths}).would_allow, help);
  });
}
