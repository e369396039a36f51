import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bitsOf, fileRights, grants, netRights, scopes} from '../../../src/sandbox/linux/rights.ts';
import {rulesetSpec} from '../../../src/sandbox/linux/ruleset.ts';
import type {Root} from '../../../src/sandbox/plan/roots.ts';
import {fc} from '../../harness/property.ts';

/** All rights of each ABI, as in the kernel's own table (Documentation/userspace-api/landlock.rst). */
const handled: readonly [abi: number, files: number, net: number, scoped: number][] = [
  [1, 0x1fff, 0, 0],
  [2, 0x3fff, 0, 0],
  [3, 0x7fff, 0, 0],
  [4, 0x7fff, 3, 0],
  [5, 0xffff, 3, 0],
  [6, 0xffff, 3, 3],
  [7, 0xffff, 3, 3],
  [9, 0x1ffff, 3, 3],
  [10, 0x1ffff, 15, 3],
];
for (const [abi, files, net, scoped] of handled) {
  test(`ruleset: all rights of ABI ${abi} are handled`, () => {
    const spec = rulesetSpec([], abi, 'none');
    assert.deepEqual([spec.handledFs, spec.handledNet, spec.scoped], [files, net, scoped]);
  });
}

test('ruleset: with an open network no TCP right is handled', () => {
  assert.equal(rulesetSpec([], 10, 'full').handledNet, 0);
});

test('ruleset: no rule grants unknown rights, or more than its kind allows', () => {
  const kinds = Object.keys(grants) as (keyof typeof grants)[];
  fc.assert(
    fc.property(fc.integer({min: 1, max: 10}), fc.constantFrom(...kinds), (abi, grant) => {
      const root: Root = {path: '/x', grant, reason: '', optional: true};
      const {rules, handledFs} = rulesetSpec([root], abi, 'none');
      assert.equal(rules[0]!.access & ~handledFs, 0);
      assert.equal(rules[0]!.access & ~grants[grant], 0);
    }),
  );
});

test('ruleset: device nodes cannot be made anywhere, and only write roots can be changed', () => {
  const bit = (name: string): number => fileRights.find((right) => right.name === name)!.bit;
  const changes = ['REMOVE_DIR', 'REMOVE_FILE', 'MAKE_DIR', 'MAKE_REG', 'MAKE_SOCK', 'MAKE_FIFO', 'MAKE_SYM'];
  for (const [kind, access] of Object.entries(grants)) {
    assert.equal(access & (bit('MAKE_CHAR') | bit('MAKE_BLOCK')), 0, kind);
    if (kind !== 'write' && kind !== 'scratch')
      for (const name of changes) assert.equal(access & bit(name), 0, `${kind} ${name}`);
  }
  assert.equal(grants.read & bit('WRITE_FILE'), 0);
  for (const kind of ['view', 'scratch', 'list', 'device', 'append'] as const) {
    assert.equal(grants[kind] & bit('EXECUTE'), 0, kind);
  }
  assert.ok(bitsOf(netRights, 10) && bitsOf(scopes, 10));
});
