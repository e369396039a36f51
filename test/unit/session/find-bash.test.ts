import assert from 'node:assert/strict';
import {test} from 'node:test';
import {findBash} from '../../../src/session/find-bash.ts';

/** ion runs the system's bash in any folder: `ion run --read ls` in `/` and `/usr` must not choose another. */
for (const workspace of ['/home/somebody/work', '/', '/usr', '/usr/bin', '/bin']) {
  test(`bash: the system's, in ${workspace}`, () => {
    assert.match(findBash('/nonexistent:.:', workspace), /^(?:\/usr)?\/bin\/bash$/);
  });
}
