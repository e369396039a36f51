import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Settings} from '../../../src/config/settings.ts';
import {IonError} from '../../../src/errors.ts';
import {noFeatures, type Features} from '../../../src/sandbox/matrix/features.ts';
import {isOff, refuseUnenforceable} from '../../../src/sandbox/require.ts';
import {defaults, inUserFile, listed, sourced} from '../policy/support.ts';
import {linuxFeatures} from '../../harness/features.ts';

const best: Features = {...linuxFeatures, landlock: 10, namespaces: 'root'};
const written = inUserFile(7);
const required = {sandbox: sourced('require' as const, written)};

const cases: readonly {
  readonly name: string;
  readonly settings: Partial<Settings>;
  readonly features: Features;
  readonly refused: RegExp | undefined;
}[] = [
  {
    name: 'a default that cannot be enforced is a downgrade',
    settings: {},
    features: noFeatures,
    refused: undefined,
  },
  {
    name: 'an explicit network = "none" is an error',
    settings: {network: sourced('none', written)},
    features: noFeatures,
    refused: /cannot enforce network = "none"/,
  },
  {
    name: 'where it can be enforced it is accepted',
    settings: {network: sourced('none', written)},
    features: {...noFeatures, seccomp: true},
    refused: undefined,
  },
  {
    name: 'network = "full" needs nothing',
    settings: {network: sourced('full', written)},
    features: noFeatures,
    refused: undefined,
  },
  {
    name: 'loopback without namespaces: the supervisor makes the connections',
    settings: {network: sourced('loopback', written)},
    features: {...best, landlock: 4, namespaces: 'none'},
    refused: undefined,
  },
  ...[{listener: false}, {pidfdGetfd: false}, {landlock: 3}].map((less) => ({
    name: `loopback without namespaces and with ${JSON.stringify(less)}`,
    settings: {network: sourced('loopback' as const, written)},
    features: {...best, namespaces: 'none' as const, ...less},
    refused: /cannot enforce network = "loopback"/,
  })),
  {
    name: 'loopback on a Mac: the kernel refuses traffic that leaves the machine',
    settings: {network: sourced('loopback', written)},
    features: {...noFeatures, seatbelt: true},
    refused: undefined,
  },
  {
    name: 'loopback on a Mac where it is required',
    settings: {...required, network: sourced('loopback', written)},
    features: {...noFeatures, seatbelt: true},
    refused: undefined,
  },
  {
    name: 'protect, without any mechanism',
    settings: {protect: listed('/home/u/ws/Makefile')},
    features: noFeatures,
    refused: /cannot enforce sandbox\.protect/,
  },
  {
    name: 'require with report = "minimal", which does not protect new auto-run files',
    settings: {...required, report: sourced('minimal', written)},
    features: best,
    refused: /requires what this machine does not enforce: .*autorun-new/,
  },
  {
    name: 'protect without mounts, and without a supervisor',
    settings: {protect: listed('/home/u/ws/Makefile'), report: sourced('minimal', written)},
    features: {...best, namespaces: 'none'},
    refused: /cannot enforce sandbox\.protect/,
  },
  {name: 'require on the best machine', settings: required, features: best, refused: undefined},
  {
    name: 'require without Landlock',
    settings: required,
    features: {...best, landlock: 0},
    refused: /the config requires what this machine does not enforce: /,
  },
  {
    name: 'require with an old Landlock',
    settings: required,
    features: {...best, landlock: 1},
    refused: /the config requires what this machine does not enforce: /,
  },
  {
    name: 'require without namespaces',
    settings: required,
    features: {...best, namespaces: 'none'},
    refused: /the config requires what this machine does not enforce: /,
  },
  {
    name: 'every missing protection is listed',
    settings: required,
    features: {...best, listener: false},
    refused: /: git-config, autorun-new, .*denied-exec, .*streams/,
  },
  {
    name: 'protections that a list does not name may be missing',
    settings: {sandbox: sourced({require: ['network', 'tree']}, written)},
    features: {...best, listener: false},
    refused: undefined,
  },
  {
    name: 'what a list names may not',
    settings: {sandbox: sourced({require: ['network', 'denied-exec', 'reported']}, written)},
    features: {...best, listener: false},
    refused: /: denied-exec, reported$/,
  },
  {
    name: 'a single one is explained',
    settings: {sandbox: sourced({require: ['ipc']}, written)},
    features: {...best, namespaces: 'none'},
    refused: /: ipc \(the run reaches no System V/,
  },
  {
    name: 'a protection that the settings turn off is not required',
    settings: {sandbox: sourced({require: ['network']}, written), network: sourced('full', written)},
    features: noFeatures,
    refused: undefined,
  },
  {
    name: 'an id that does not exist',
    settings: {sandbox: sourced({require: ['networks']}, written)},
    features: best,
    refused: /requires an unknown protection: "networks"/,
  },
  {
    name: 'require without any mechanism',
    settings: required,
    features: noFeatures,
    refused: /the config requires what this machine does not enforce: /,
  },
];
for (const {name, settings, features, refused} of cases) {
  test(`require: ${name}`, () => {
    const check = (): void => refuseUnenforceable({...defaults, ...settings}, features);
    if (!refused) return check();
    assert.throws(check, (error) => {
      assert.ok(error instanceof IonError);
      assert.match(error.message, refused);
      assert.equal(error.exitCode, 125);
      assert.ok(error.at?.line !== undefined && error.help);
      return true;
    });
  });
}

test('a hook outside the sandbox is reported if there is one', () => {
  const hook = {event: 'Stop', command: 'x', origin: {layer: 'user'}} as const;
  for (const [sandbox, off] of [
    [false, false],
    [true, true],
  ] as const)
    assert.equal(isOff('hooks-outside', {...defaults, hooks: [{...hook, sandbox}]}), off);
  assert.equal(isOff('hooks-outside', defaults), true);
});
