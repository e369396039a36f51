import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';

/** 2^32 inode numbers are made in hours, in minutes with many processors: a run could have the number of a server outside. */
test('sockets of the tree: known by their cookies, not by numbers that come round', () => {
  const folder = 'build/test-native';
  const binary = path.resolve(folder, 'held-sockets');
  mkdirSync(folder, {recursive: true});
  const sources = [
    'test/native/held-sockets.c',
    'native/launcher/answer/net/held_sockets.c',
    'native/launcher/tree/tree.c',
  ];
  const checks = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
  execFileSync('cc', ['-O1', ...checks, '-Inative/launcher', '-o', binary, ...sources]);
  assert.deepEqual(execFileSync(binary, {encoding: 'utf8'}).trimEnd().split('\n'), [
    'the socket: borrowed yes, held yes',
    'another with its number: borrowed no, held no',
    'one much later: borrowed no, held no',
    'one that is closed: borrowed no, held no',
  ]);
});
