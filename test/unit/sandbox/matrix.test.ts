import assert from 'node:assert/strict';
import {test} from 'node:test';
import {featuresOfRun, noFeatures, type Features} from '../../../src/sandbox/matrix/features.ts';
import {enforcedBy, protections} from '../../../src/sandbox/matrix/matrix.ts';
import {promiseOf, promises} from '../../../src/sandbox/matrix/promises.ts';
import {textOnly, type Enforcement} from '../../../src/sandbox/matrix/ways.ts';
import {linuxFeatures} from '../../harness/features.ts';
import {fc} from '../../harness/property.ts';

const strength: Readonly<Record<Enforcement, number>> = {enforced: 2, 'best effort': 1, not: 0};

const linux: fc.Arbitrary<Features> = fc.record({
  landlock: fc.integer({min: 0, max: 10}),
  seccomp: fc.boolean(),
  namespaces: fc.constantFrom('none', 'root', 'user'),
  pidNamespace: fc.boolean(),
  listener: fc.boolean(),
  pidfdGetfd: fc.boolean(),
  launcher: fc.constant(true as const),
  ownerlessEtc: fc.option(fc.constant(true as const), {nil: undefined}),
}) as fc.Arbitrary<Features>;

test('matrix: ids are unique, and every promise is text', () => {
  assert.equal(new Set(protections.map(({id}) => id)).size, protections.length);
  assert.deepEqual(
    Object.keys(promises),
    protections.map(({id}) => id),
  );
  assert.ok(protections.every(({id}) => promiseOf(id).length > 10));
});

test('matrix: without any feature nothing is enforced', () => {
  assert.deepEqual(
    enforcedBy(noFeatures).filter(({level}) => level === 'enforced'),
    [],
  );
});

test('matrix: a machine with more features never enforces less', () => {
  fc.assert(
    fc.property(linux, linux, (a, b) => {
      const more: Features = {
        landlock: Math.max(a.landlock, b.landlock),
        seccomp: a.seccomp || b.seccomp,
        namespaces: a.namespaces === 'none' ? b.namespaces : a.namespaces,
        pidNamespace: a.pidNamespace || b.pidNamespace,
        listener: a.listener || b.listener,
        pidfdGetfd: a.pidfdGetfd || b.pidfdGetfd,
        launcher: true,
        ...(a.ownerlessEtc || b.ownerlessEtc ? {ownerlessEtc: true} : {}),
      };
      const [less, all] = [enforcedBy(a), enforcedBy(more)];
      for (const [index, {id, level}] of less.entries()) {
        assert.ok(strength[all[index]!.level] >= strength[level], id);
      }
    }),
  );
});

test('matrix: a protection that is not enforced names no mechanism', () => {
  fc.assert(
    fc.property(linux, (features) => {
      for (const {level, by, id} of enforcedBy(features)) {
        assert.equal(level === 'not', by === '' || by === textOnly, id);
      }
    }),
  );
});

test('matrix: with report = "minimal" no protection needs a supervisor that is notified of writes', () => {
  const all: Features = {...linuxFeatures, landlock: 10, namespaces: 'none'};
  const lost = enforcedBy(featuresOfRun(all, {report: 'minimal', processes: 'own'}))
    .filter(({id, level}) => level !== enforcedBy(all).find((one) => one.id === id)!.level)
    .map(({id, level}) => `${id}: ${level}`);
  assert.deepEqual(lost, [
    'mounted-later: not',
    'metadata: not',
    'autorun: not',
    'git-config: not',
    'autorun-new: not',
    'autorun-nested: not',
    'reported: not',
    'metadata-handed: not',
  ]);
});
