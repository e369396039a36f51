import assert from 'node:assert/strict';
import {test} from 'node:test';
import {findBash} from '../../../src/session/find-bash.ts';

/** The system's bash is run wherever one stands: `ion run --read ls` in `/` and `/usr` is no reason to look for another. */
for (const workspace of ['/home/somebody/work', '/', '/usr', '/usr/bin', '/bin']) {
  test(`bash: the system's, in ${workspace}`, () => {
    assert.match(findBash('/nonexistent:.:', workspace), /^(?:\/usr)?\/bin\/bash$/);
  });
}
