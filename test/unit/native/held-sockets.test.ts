import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';

/**
 * Inode numbers wrap after 2^32 sockets, which takes hours, or minutes with many processors. Then a run's socket could have
 * the inode number of a server outside.
 */
test('sockets of the tree are identified by their cookies, because inode numbers repeat', () => {
  const folder = 'build/test-native';
  const binary = path.resolve(folder, 'held-sockets');
  mkdirSync(folder, {recursive: true});
  const sources = [
    'test/native/held-sockets.c',
    'native/launcher/answer/net/held_sockets.c',
    'native/launcher/tree/tree.c',
    'native/launcher/tree/first_process.c',
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
