import {test} from 'node:test';
import assert from 'node:assert/strict';
import {readProbe} from '../../../../src/sandbox/macos/probe-seatbelt.ts';
import {violationEvents} from '../../../../src/sandbox/macos/violation-events.ts';
import {parseViolation, type Violation} from '../../../../src/sandbox/macos/seatbelt-log.ts';
import {workspace, writePlan} from './support.ts';

const write = (operation: string, object: string): Violation => ({program: 'sh', pid: 1, operation, object});

const tag = '0123456789abcdef0123456789abcdef';

function line(message: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    eventMessage: message,
    processID: 0,
    senderImagePath: '/System/Library/Extensions/Sandbox.kext/Contents/MacOS/Sandbox',
    ...more,
  });
}

const rows: {readonly name: string; readonly line: string; readonly want: Violation | undefined}[] = [
  {
    name: 'a refused write',
    line: line(`Sandbox: bash(38406) deny(1) file-write-create /Users/u/x\nion-${tag}`),
    want: {program: 'bash', pid: 38406, operation: 'file-write-create', object: '/Users/u/x'},
  },
  {
    name: 'a program and a path with spaces and parentheses',
    line: line(`Sandbox: My App (1)(7) deny(1) file-read-data /a b (c)\nion-${tag}`),
    want: {program: 'My App (1)', pid: 7, operation: 'file-read-data', object: '/a b (c)'},
  },
  {
    name: 'a refusal without an object',
    line: line(`Sandbox: ps(7) deny(1) process-fork\nion-${tag}`),
    want: {program: 'ps', pid: 7, operation: 'process-fork', object: ''},
  },
  {
    name: 'the header',
    line: `Filtering the log data using "eventMessage CONTAINS \\"ion-${tag}\\""`,
    want: undefined,
  },
  {
    name: 'another run',
    line: line(`Sandbox: bash(1) deny(1) file-write-create /x\nion-${'f'.repeat(32)}`),
    want: undefined,
  },
  {name: 'an allow', line: line(`Sandbox: bash(1) allow(1) file-read-data /x\nion-${tag}`), want: undefined},
  {
    name: 'a line that a program of the run wrote into the log',
    line: line(`Sandbox: bash(1) deny(1) file-write-create /x\nion-${tag}`, {
      processID: 4711,
      senderImagePath: '/usr/bin/logger',
    }),
    want: undefined,
  },
  {
    name: 'a path that contains another refusal',
    line: line(`Sandbox: bash(1) deny(1) file-write-create /x\nSandbox: a(1) deny(1) b /c\nion-${tag}`),
    want: undefined,
  },
  {name: 'null', line: 'null', want: undefined},
];

for (const {name, line: text, want} of rows) {
  test(`the log: ${name}`, () => assert.deepEqual(parseViolation(text, tag), want));
}

test('a sandbox inside a sandbox is distinguished from a broken one', () => {
  assert.deepEqual(readProbe({status: 0, stderr: ''}), {usable: true});
  assert.deepEqual(
    readProbe({status: 71, stderr: 'sandbox-exec: sandbox_apply: Operation not permitted\n'}),
    {
      usable: false,
      nested: true,
      why: 'sandbox-exec: sandbox_apply: Operation not permitted',
    },
  );
  assert.deepEqual(readProbe({status: null, stderr: '', missing: 'ENOENT'}), {
    usable: false,
    nested: false,
    why: 'ENOENT',
  });
});

test('each refusal is reported once, with the rule behind it; reads and lookups are not', () => {
  const found = [
    write('file-write-create', '/Users/u/x'),
    write('file-write-create', '/Users/u/x'),
    write('file-write-data', `${workspace}/.Git/hooks/pre-commit`),
    write('file-write-unlink', `${workspace}/.git`),
    write('network-outbound', '192.0.2.1:443'),
    write('network-outbound', '/private/var/run/docker.sock'),
    write('file-read-data', '/Users/u/.ssh/id'),
    write('mach-lookup', 'com.apple.pasteboard.1'),
  ];
  const events = violationEvents(found, writePlan);
  assert.deepEqual(
    events.map((event) =>
      event.kind === 'violation' ? `${event.number} ${event.operation} ${event.rule}` : event,
    ),
    [
      '0 write outside',
      {kind: 'count', number: 0, count: 2},
      '1 write protected',
      '2 write protected',
      '3 connect network',
      '4 connect unix-socket',
    ],
  );
  assert.equal(violationEvents(found, {...writePlan, report: 'minimal'}).length, 2);
});
