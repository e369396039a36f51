import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {verifyLog} from '../../../src/audit/verify-log.ts';
import {logFiles, readLines} from '../../../src/audit/read-log.ts';
import {pruneLog} from '../../../src/audit/prune.ts';
import {emptyHead, headBytes, renderHead} from '../../../src/audit/log-record.ts';
import {appends, large, line, scratch} from './support.ts';

// printf '1\n%064d\n{"n":1,"type":"test"}' 0 | sha256sum
const recordOne =
  '{"seq":1,"prev":"0000000000000000000000000000000000000000000000000000000000000000",' +
  '"hash":"882b1a6b316ebd715575913c753b5b5419245544bae576ffed06947276618238","event":{"n":1,"type":"test"}}\n';

for (const [name, append] of appends) {
  test(`${name}: a missing home is not created`, (context) => {
    const home = path.join(scratch(context), 'home');
    assert.throws(
      () => append(path.join(home, '.ion/audit'), [line(1)], large, false),
      /No such file|ENOENT/,
    );
    assert.ok(!existsSync(home));
  });

  test(`${name}: records follow one another, and the head names the last`, (context) => {
    const folder = path.join(scratch(context), 'home/audit');
    mkdirSync(path.dirname(folder), {recursive: true});
    append(folder, [line(1), line(2)], large, false);
    const last = append(folder, [line(3)], large, true);
    assert.equal(last.sequence, 3);
    const verified = verifyLog(folder);
    assert.deepEqual(verified, {records: 3, last, recovered: []});
    assert.equal(statSync(path.join(folder, 'head')).size, headBytes);
    for (const file of ['head', 'audit.jsonl'])
      assert.equal(statSync(path.join(folder, file)).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.ok(readFileSync(path.join(folder, 'audit.jsonl'), 'utf8').startsWith(recordOne));
  });

  test(`${name}: when a file is full, the chain continues in the next one`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    for (let number = 1; number <= 40; number++) append(folder, [line(number)], 2000, false);
    assert.ok(logFiles(folder).length > 3);
    assert.deepEqual(verifyLog(folder).broken, undefined);
    assert.equal(verifyLog(folder).records, 40);
    for (const file of logFiles(folder)) assert.ok(statSync(path.join(folder, file)).size <= 2000);
  });

  const crashes: {
    name: string;
    damage: (log: string, head: string) => void;
    recovered: RegExp | undefined;
  }[] = [
    {
      name: 'after the log, before the head: the records are adopted',
      damage: (log, head) => {
        const before = readFileSync(head);
        append(path.dirname(log), [line(4), line(5)], large, false);
        writeFileSync(head, before);
      },
      recovered: undefined,
    },
    {
      name: 'in the middle of another line: the partial line is kept, and recorded',
      damage: (log) => appendFileSync(log, '{"seq":9,"prev":"'),
      recovered: /foreign_bytes \(17 bytes\)/,
    },
    {name: 'the head is missing', damage: (_, head) => rmSync(head), recovered: /head_missing/},
    {
      name: 'the head is truncated',
      damage: (_, head) => truncateSync(head, 100),
      recovered: /head_unreadable \(100 bytes\)/,
    },
    {
      name: 'the head is too long',
      damage: (_, head) => appendFileSync(head, 'x'),
      recovered: /head_unreadable/,
    },
  ];
  for (const {name: crash, damage, recovered} of crashes) {
    test(`${name}: crash: ${crash}`, (context) => {
      const folder = path.join(scratch(context), 'audit');
      append(folder, [line(1), line(2), line(3)], large, false);
      const before = readFileSync(path.join(folder, 'audit.jsonl'), 'utf8');
      damage(path.join(folder, 'audit.jsonl'), path.join(folder, 'head'));
      append(folder, [line(9)], large, false);
      const {broken, recovered: found} = verifyLog(folder);
      assert.equal(broken?.mended, recovered && true);
      assert.match(broken?.at ?? '', recovered ? /^audit\.jsonl:[45]$/ : /^$/);
      if (recovered) assert.match(found.join(), recovered);
      else assert.deepEqual(found, []);
      assert.ok(
        readFileSync(path.join(folder, 'audit.jsonl'), 'utf8').startsWith(before),
        'nothing was taken away',
      );
    });
  }

  for (const share of [0.01, 0.3, 0.9, 1]) {
    test(`${name}: a line that a full disk truncated is not tampering (${share} of it)`, (context) => {
      const folder = path.join(scratch(context), 'audit');
      const log = path.join(folder, 'audit.jsonl');
      append(folder, [line(1), line(2), line(3)], large, false);
      const head = path.join(folder, 'head');
      const before = readFileSync(log, 'utf8');
      const headBefore = readFileSync(head);
      append(folder, [line(4)], large, false);
      const record = readFileSync(log, 'utf8').slice(before.length);
      writeFileSync(log, `${before}${record.slice(0, Math.ceil((record.length - 2) * share))}`);
      writeFileSync(head, headBefore);
      const torn = verifyLog(folder);
      assert.equal(torn.broken, undefined);
      assert.match(torn.recovered.join(), /torn_line/);
      append(folder, [line(5)], large, false);
      const mended = verifyLog(folder);
      assert.equal(mended.broken, undefined);
      assert.match(mended.recovered.join(), /^audit\.jsonl:5: torn_line \(\d+ bytes\)$/);
    });
  }

  test(`${name}: a line that only looks truncated is tampering`, (context) => {
    const fronts = (folder: string): string[] => {
      const [, , hash] = readFileSync(path.join(folder, 'audit.jsonl'), 'utf8').match(/"hash":"[^"]+"/g)!;
      const previous = hash!.slice(8, -1);
      return [
        `{"seq":5,"prev":"${previous}","hash":"`,
        `{"seq":4,"prev":"${'0'.repeat(64)}","hash":"`,
        `{"seq":4,"prev":"${previous}","hash":"1\n`,
      ];
    };
    for (const index of [0, 1, 2]) {
      const folder = path.join(scratch(context), 'audit');
      append(folder, [line(1), line(2), line(3)], large, false);
      appendFileSync(path.join(folder, 'audit.jsonl'), fronts(folder)[index]!);
      assert.ok(verifyLog(folder).broken);
      append(folder, [line(4)], large, false);
      assert.ok(verifyLog(folder).broken, 'for good');
    }
  });

  test(`${name}: a new log writes its head first`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    append(folder, [line(1)], large, false);
    // The state after a full disk: the head of the empty log, and half of the first record.
    const record = readFileSync(path.join(folder, 'audit.jsonl'), 'utf8');
    writeFileSync(path.join(folder, 'audit.jsonl'), record.slice(0, 100));
    writeFileSync(path.join(folder, 'head'), renderHead(emptyHead));
    append(folder, [line(1)], large, false);
    assert.equal(verifyLog(folder).broken, undefined);
  });

  test(`${name}: pruned by size: the chain begins after the pruned part, and is valid`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    for (let number = 1; number <= 60; number++) append(folder, [line(number)], 2000, false);
    const before = logFiles(folder).length;
    pruneLog(folder, {append, now: new Date(), maxBytes: 5000});
    assert.ok(logFiles(folder).length < before);
    const {broken, recovered} = verifyLog(folder);
    assert.equal(broken, undefined);
    assert.match(recovered.join(), /pruned: \d+ records, to \d+/);
    // More than once, and by several processes at the same time.
    for (let number = 1; number <= 40; number++) append(folder, [line(number)], 2000, false);
    pruneLog(folder, {append, now: new Date(), maxBytes: 5000});
    assert.equal(verifyLog(folder).broken, undefined);
    const [oldest] = logFiles(folder);
    rmSync(path.join(folder, oldest!));
    assert.match(verifyLog(folder).broken?.why ?? '', /records are missing/, 'but no cut beyond it');
  });

  test(`${name}: pruned by age, and no young record is removed`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    for (let number = 1; number <= 20; number++) append(folder, [line(number)], 1000, false);
    const [oldest] = logFiles(folder);
    utimesSync(path.join(folder, oldest!), new Date(0), new Date(0));
    pruneLog(folder, {append, now: new Date(), maxAgeMs: 1000 * 60 * 60});
    assert.ok(!logFiles(folder).includes(oldest!));
    const left = logFiles(folder).length;
    pruneLog(folder, {append, now: new Date(), maxAgeMs: 1000 * 60 * 60});
    assert.equal(logFiles(folder).length, left);
    assert.equal(verifyLog(folder).broken, undefined);
  });

  test(`${name}: findings in a pruned file stay reported; an invalid file is not pruned`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    append(folder, [line(1)], large, false);
    rmSync(path.join(folder, 'head'));
    for (let number = 1; number <= 60; number++) append(folder, [line(number)], 2000, false);
    pruneLog(folder, {append, now: new Date(), maxBytes: 3000});
    const {broken} = verifyLog(folder);
    assert.match(broken?.why ?? '', /^the pruned records did not verify: .*head_missing/);
    for (let number = 1; number <= 60; number++) append(folder, [line(number)], 2000, false);
    const files = logFiles(folder);
    const edited = path.join(folder, files[1]!);
    writeFileSync(edited, readFileSync(edited, 'utf8').replace('"n":', '"m":'));
    pruneLog(folder, {append, now: new Date(), maxBytes: 3000});
    assert.deepEqual(logFiles(folder), files);
  });

  test(`${name}: a crash while a file is rotated`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    append(folder, [line(1)], large, false);
    const head = readFileSync(path.join(folder, 'head'));
    append(folder, [line(2)], 10, false);
    rmSync(path.join(folder, 'audit.jsonl'));
    writeFileSync(path.join(folder, 'head'), head);
    append(folder, [line(2)], large, false);
    assert.deepEqual(verifyLog(folder).broken, undefined);
    assert.equal(verifyLog(folder).records, 2);
  });

  const attacks: {name: string; attack: (log: string, head: string) => void; why: RegExp}[] = [
    {
      name: 'an edit',
      attack: (log) => writeFileSync(log, readFileSync(log, 'utf8').replace('"n":2', '"n":7')),
      why: /its content was changed/,
    },
    {
      name: 'a record removed',
      attack: (log) => writeFileSync(log, readFileSync(log, 'utf8').split('\n').toSpliced(1, 1).join('\n')),
      why: /record 3 where 2 was expected/,
    },
    {
      name: 'the beginning cut',
      attack: (log) => writeFileSync(log, readFileSync(log, 'utf8').split('\n').slice(1).join('\n')),
      why: /record 2 where 1 was expected/,
    },
    {
      name: 'the end cut',
      attack: (log) =>
        writeFileSync(log, readFileSync(log, 'utf8').split('\n').slice(0, 2).join('\n') + '\n'),
      why: /its end was cut/,
    },
    {
      name: 'two records swapped',
      attack: (log) => {
        const [one, two, three] = readFileSync(log, 'utf8').split('\n');
        writeFileSync(log, [two, one, three, ''].join('\n'));
      },
      why: /record 2 where 1 was expected/,
    },
    {
      name: 'a line inserted',
      attack: (log) => writeFileSync(log, readFileSync(log, 'utf8').replace('\n', '\nnothing to see\n')),
      why: /not a record/,
    },
    {name: 'the log deleted', attack: (log) => rmSync(log), why: /its end was cut/},
    {name: 'the head deleted', attack: (_, head) => rmSync(head), why: /the head file is missing/},
    {name: 'the head emptied', attack: (_, head) => truncateSync(head), why: /unreadable/},
    {
      name: 'the end cut, and the head deleted',
      attack: (log, head) => {
        writeFileSync(log, `${readFileSync(log, 'utf8').split('\n')[0]}\n`);
        rmSync(head);
      },
      why: /the head file is missing/,
    },
    {
      name: 'the end cut, and the head emptied',
      attack: (log, head) => {
        writeFileSync(log, `${readFileSync(log, 'utf8').split('\n')[0]}\n`);
        truncateSync(head);
      },
      why: /unreadable/,
    },
    {
      name: 'bytes added at the end',
      attack: (log) => appendFileSync(log, 'nothing to see\n'),
      why: /not a record/,
    },
  ];
  for (const {name: attacked, attack, why} of attacks) {
    test(`${name}: verify shows ${attacked}`, (context) => {
      const folder = path.join(scratch(context), 'audit');
      append(folder, [line(1), line(2), line(3)], large, false);
      attack(path.join(folder, 'audit.jsonl'), path.join(folder, 'head'));
      assert.match(verifyLog(folder).broken?.why ?? '', why);
    });
  }

  for (const {name: attacked, attack} of attacks) {
    test(`${name}: verify still shows ${attacked} after a further append`, (context) => {
      const folder = path.join(scratch(context), 'audit');
      append(folder, [line(1), line(2), line(3)], large, false);
      attack(path.join(folder, 'audit.jsonl'), path.join(folder, 'head'));
      append(folder, [line(4)], large, false);
      assert.ok(verifyLog(folder).broken);
      append(folder, [line(5)], large, false);
      assert.ok(verifyLog(folder).broken, 'for good');
    });
  }

  const refused: {name: string; skip?: false | string; put: (folder: string, elsewhere: string) => void}[] = [
    {
      name: "the log is another user's",
      skip: process.getuid!() !== 0 && 'only root can give a file away',
      put: (folder) => {
        writeFileSync(path.join(folder, 'audit.jsonl'), '');
        chownSync(path.join(folder, 'audit.jsonl'), 65_534, 65_534);
      },
    },
    {
      name: 'the log is a symlink',
      put: (folder, elsewhere) => symlinkSync(elsewhere, path.join(folder, 'audit.jsonl')),
    },
    {
      name: 'the head is a symlink',
      put: (folder, elsewhere) => symlinkSync(elsewhere, path.join(folder, 'head')),
    },
    {
      name: 'the log has a second name',
      put: (folder, elsewhere) => linkSync(elsewhere, path.join(folder, 'audit.jsonl')),
    },
    {name: 'the log is a FIFO', put: (folder) => execFileSync('mkfifo', [path.join(folder, 'audit.jsonl')])},
    {name: 'the log is a folder', put: (folder) => mkdirSync(path.join(folder, 'audit.jsonl'))},
    {name: 'others may write to the folder', put: (folder) => chmodSync(folder, 0o777)},
  ];
  for (const {name: what, skip = false, put} of refused) {
    test(`${name}: refused: ${what}`, {skip}, (context) => {
      const folder = path.join(scratch(context), 'audit');
      const elsewhere = path.join(path.dirname(folder), 'elsewhere');
      writeFileSync(elsewhere, 'untouched');
      mkdirSync(folder, {mode: 0o700});
      put(folder, elsewhere);
      assert.throws(() => append(folder, [line(1)], large, false));
      assert.equal(readFileSync(elsewhere, 'utf8'), 'untouched');
    });
  }

  test(`${name}: the folder is a symlink`, (context) => {
    const folder = path.join(scratch(context), 'audit');
    mkdirSync(`${folder}-real`, {mode: 0o700});
    symlinkSync(`${folder}-real`, folder);
    assert.throws(() => append(folder, [line(1)], large, false));
    assert.equal(existsSync(path.join(`${folder}-real`, 'audit.jsonl')), false);
  });
}

test('both appends write the same bytes', {skip: appends.length < 2}, (context) => {
  const folder = scratch(context);
  const texts = appends.map(([name, append]) => {
    const own = path.join(folder, name);
    append(own, [line(1), '{"type":"test","text":"ünïcode \\u2028"}'], large, false);
    append(own, [line(3)], large, false);
    return readFileSync(path.join(own, 'audit.jsonl'), 'utf8') + readFileSync(path.join(own, 'head'), 'utf8');
  });
  assert.equal(texts[0], texts[1]);
});

test("both appends continue after each other's records", {skip: appends.length < 2}, (context) => {
  const folder = path.join(scratch(context), 'audit');
  for (let number = 1; number <= 10; number++) appends[number % 2]![1](folder, [line(number)], large, false);
  assert.equal(verifyLog(folder).records, 10);
  assert.equal([...readLines(folder)].length, 10);
});
