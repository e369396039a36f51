import {execa} from 'execa';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {readLines} from '../../../src/audit/read-log.ts';
import {verifyLog} from '../../../src/audit/verify-log.ts';
import {appendWithoutAddon} from '../../../src/audit/append.ts';
import {isWhole} from '../../harness/extent.ts';
import {addonFile, appends, scratch} from './support.ts';

const maxFileBytes = 500_000;

/** As a child process: append this many events one by one, then exit. */
const [, , folder, writer, count] = process.argv;
if (count !== undefined) {
  for (let index = 0; index < Number(count); index++) {
    appendWithoutAddon(folder!, [event(Number(writer), index)], maxFileBytes, false);
  }
  process.exit(0);
}

/** The same for the addon, without this bundle, because a hundred processes must start. */
const nativeWriter = `
  const loaded = {exports: {}};
  process.dlopen(loaded, ${JSON.stringify(addonFile)});
  const [, folder, writer, count] = process.argv;
  for (let index = 0; index < count; index++) {
    const event = '{"index":' + index + ',"pad":"${'x'.repeat(300)}","type":"test","writer":' + writer + '}';
    loaded.exports.auditAppend(folder, [event], ${maxFileBytes}, false);
  }
`;

function event(from: number, index: number): string {
  return `{"index":${index},"pad":"${'x'.repeat(300)}","type":"test","writer":${from}}`;
}

const programs = {native: ['-e', nativeWriter], 'without the addon': [process.argv[1]!]};
const sizes = {
  native: {writers: isWhole ? 100 : 10, each: 100},
  'without the addon': {writers: isWhole ? 12 : 4, each: 25},
};

for (const [kind] of appends) {
  const {writers, each} = sizes[kind as keyof typeof sizes];
  test(`${kind}: ${writers} processes × ${each} events: none lost, torn or out of order; one chain`, async (context) => {
    const log = path.join(scratch(context), 'audit');
    const children = Array.from({length: writers}, (_, index) =>
      execa(process.execPath, [...programs[kind as keyof typeof sizes], log, String(index), String(each)], {
        env: {NODE_TEST_CONTEXT: ''},
      }),
    );
    await Promise.all(children);
    const {records, broken, recovered} = verifyLog(log);
    assert.deepEqual(
      {records, broken, recovered},
      {records: writers * each, broken: undefined, recovered: []},
    );
    // The log keeps each writer's events in the order in which it wrote them.
    const next = new Map<number, number>();
    for (const {record} of readLines(log)) {
      const {writer: from, index} = JSON.parse(record!.event) as {writer: number; index: number};
      assert.equal(index, next.get(from) ?? 0);
      next.set(from, index + 1);
    }
    assert.equal(next.size, writers);
  });
}
