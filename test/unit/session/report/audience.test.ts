import assert from 'node:assert/strict';
import {test} from 'node:test';
import {adviceTo} from '../../../../src/session/report/audience.ts';

/** At ion's prompt there are no options: what works there, and what starts a prompt with the setting. */
const rows: readonly (readonly [help: string, atPrompt: string])[] = [
  [
    'for this run: --set sandbox.write_roots+=/x; for all: sandbox.write_roots = ["/x"] in ~/.ion/config.toml',
    '/allow; for one prompt: ion --set sandbox.write_roots+=/x; for all: sandbox.write_roots = ["/x"] in ~/.ion/config.toml',
  ],
  [
    `for this run: --set 'sandbox.write_roots+={ path = "/x", create = true }'`,
    `/allow; for one prompt: ion --set 'sandbox.write_roots+={ path = "/x", create = true }'`,
  ],
  ['for this run: --set environment.keep+=TOKEN', 'for one prompt: ion --set environment.keep+=TOKEN'],
  ['for this run: --timeout 2s; for all: x', 'for one prompt: ion --timeout 2s; for all: x'],
  [
    'put HUSKY=0 before the command, or let it write; for this run: --set sandbox.unprotect+=.husky',
    'put HUSKY=0 before the command, or let it write; for one prompt: ion --set sandbox.unprotect+=.husky',
  ],
  ['drop --read to run it in write mode', '/mode write'],
  ['no setting allows it: do it outside ion', 'no setting allows it: do it outside ion'],
];
for (const [help, atPrompt] of rows) {
  test(`at the prompt: ${help}`, () => {
    assert.equal(adviceTo('prompt', help), atPrompt);
    assert.equal(adviceTo('person', help), help);
    assert.equal(adviceTo('program', help, 'r-1'), 'ask the user; denial r-1');
  });
}
