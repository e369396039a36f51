import {test} from 'node:test';
import assert from 'node:assert/strict';
import {checkCommand as check, contextFor} from '../support.ts';
import {attacks, everyday} from '../tables/safe.ts';
import {knownValues, unknownValues} from '../tables/known-values.ts';

for (const [command, want] of [...everyday, ...attacks, ...knownValues, ...unknownValues]) {
  test(`${JSON.stringify(command)}: ${want}`, () => {
    const verdict = check(command);
    assert.equal(verdict.safe ? 'safe' : verdict.why, want);
  });
}

const identities: {name: string; file: string | null; safe: boolean}[] = [
  {name: 'ls', file: '/usr/bin/ls', safe: true},
  {name: 'ls', file: '/bin/busybox', safe: true},
  {name: 'which', file: '/usr/bin/which.debianutils', safe: true},
  {name: 'hd', file: '/usr/bin/hexdump', safe: true},
  {name: 'strings', file: '/usr/bin/x86_64-linux-gnu-strings', safe: true},
  {name: 'strings', file: '/usr/bin/x86_64-linux-gnu-ld', safe: false},
  {name: 'cat', file: '/usr/bin/x86_64-linux-gnu-cat', safe: false},
  {name: 'ls', file: '/usr/bin/bash', safe: false},
  {name: 'ls', file: '/usr/bin/lsof', safe: false},
  {name: 'ls', file: '/ws/bin/ls', safe: false},
  {name: 'ls', file: '/usr/bin/evil/ls', safe: false},
  {name: 'ls', file: '/usr/bin-evil/ls', safe: false},
  {name: 'ls', file: null, safe: false},
  {name: 'echo', file: '/ws/echo', safe: true},
];
for (const {name, file, safe} of identities) {
  test(`${name} that is ${file}: ${safe}`, () => {
    const context = {programs: new Map([[name, file]]), systemProgramFolders: ['/usr/bin', '/bin']};
    assert.equal(check(name, context).safe, safe);
  });
}

test('egrep is a script: the grep that it finds on PATH must be safe too', () => {
  const safeWith = (grep: string): boolean => {
    const programs = new Map([
      ['egrep', '/usr/bin/egrep'],
      ['grep', grep],
    ]);
    return check('egrep x', {programs, systemProgramFolders: ['/usr/bin']}).safe;
  };
  assert.equal(safeWith('/usr/bin/grep'), true);
  assert.equal(safeWith('/ws/node_modules/.bin/grep'), false);
});

test('a program that is not in the map is not safe', () => {
  assert.equal(check('ls', {programs: new Map(), systemProgramFolders: ['/usr/bin']}).safe, false);
});

test('operands outside the readable paths are refused, if that is checked', () => {
  const context = {...contextFor('cat x'), readable: (path: string) => !path.startsWith('/secret')};
  assert.equal(check('cat x', context).safe, true);
  assert.equal(check('cat /secret/x', context).safe, false);
});

test('cd is safe only where it does not change which programs names mean', () => {
  const {absoluteSearchPath: _, ...context} = contextFor('cd x');
  assert.equal(check('cd x', context).safe, false);
});

test('the refusal names the place', () => {
  const command = 'ls && sort -o x y';
  const verdict = check(command);
  assert.ok(!verdict.safe);
  assert.equal(command.slice(verdict.span.start, verdict.span.end), '-o');
});
