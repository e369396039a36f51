import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {compiledWith} from '../../harness/native.ts';

/**
 * Inode numbers wrap after 2^32 sockets, which takes hours, or minutes with many processors. Then a run's socket could have
 * the inode number of a server outside.
 */
test('sockets of the tree are identified by their cookies, because inode numbers repeat', () => {
  const binary = compiledWith('held-sockets.c', [
    'answer/net/held_sockets.c',
    'tree/tree.c',
    'tree/first_process.c',
  ]);
  assert.deepEqual(execFileSync(binary, {encoding: 'utf8'}).trimEnd().split('\n'), [
    'the socket: borrowed yes, held yes',
    'another with its number: borrowed no, held no',
    'one much later: borrowed no, held no',
    'one that is closed: borrowed no, held no',
  ]);
});
