/**
 * Advice depends on its reader. A person gets a form to paste; a program gets the id of the denial, and no setting that
 * loosens.
 */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const as = identities.at(-1)!;

interface Refusal {
  readonly name: string;
  readonly args: readonly string[];
  /** The text for a person. */
  readonly person: RegExp;
  /** A denial has an id; an error or a warning has none. */
  readonly denial?: false;
}

const refusals: readonly Refusal[] = [
  {
    name: 'a write outside',
    args: ['touch /srv/data/x /var/tmp/x || false'],
    person: /^help: .*(?:sandbox\.write_roots|write below)/m,
  },
  {
    name: 'the network',
    args: ['exec 3<>/dev/tcp/127.0.0.1/9'],
    person: /^help: for this run: --set sandbox\.network\+?=/m,
  },
  {
    name: 'a protected file',
    args: ['mkdir .vscode'],
    person: /^help: for this run: --set sandbox\.unprotect\+?=/m,
  },
  {name: 'read mode', args: ['--read', 'touch x'], person: /^help: .*(?:--read|write mode)/m},
  {name: 'a row that asks', args: ['--config', '../../ask.toml', 'touch x'], person: /^help: .*allow rule/m},
  {name: 'a denied command', args: ['--config', '../../deny.toml', 'git push'], person: /^help: /m},
  {name: 'a limit', args: ['--timeout', '0.2', 'sleep 5'], person: /^help: .*timeout/m, denial: false},
  {
    name: 'a variable that ion removed',
    args: ['test -n "$A_TOKEN"'],
    person: /^help: for this run: --set environment\.keep\+=A_TOKEN; for all: environment\.keep = /m,
    denial: false,
  },
  {
    name: 'a setting that a project may not make',
    args: ['true'],
    person: /^help: .*ion trust/m,
    denial: false,
  },
  {
    name: 'a workspace that would open home',
    args: ['--config', '../../bad.toml', 'true'],
    person: /^help: /m,
    denial: false,
  },
];

/** Words for something that loosens the sandbox. */
const loosening =
  /sandbox\.\w|permissions\.\w|environment\.\w|_roots|unprotect|unix_sockets|--no-sandbox|--config|--set|--timeout|--read|ion trust|ion rules|allow rule|config\.toml/;

for (const {name, args, person, denial = true} of refusals) {
  test(`${name}: a person learns what allows it, a program to ask the user`, async (t) => {
    const scratch = makeScratch(t, as, {
      '.ion/config.toml': 'sandbox.network = "full"\n',
      '/ask.toml': 'permissions.approval = "ask"\n',
      '/deny.toml': 'permissions.deny_commands = ["git push"]\n',
      '/bad.toml': 'sandbox.write_roots = ["/etc"]\n',
    });
    const env = {A_TOKEN: 'x'};
    const shown = await runIon(scratch, ['run', ...args], {as, env});
    assert.match(shown.stderr, person);
    const {stderr} = await runIon(scratch, ['run', '--json', ...args], {as, env});
    const lines = stderr.trimEnd().split('\n');
    const result = JSON.parse(lines.at(-1)!) as {
      run_id: string;
      error: {help: string | null} | null;
      decision: {help: string | null} | null;
      violations: readonly {violation_id: string; would_allow: string | null}[];
    };
    const advice = [
      ...lines.filter((line) => line.startsWith('help: ')),
      result.error?.help ?? '',
      result.decision?.help ?? '',
      ...result.violations.map(({would_allow: help}) => help ?? ''),
    ];
    for (const line of advice) assert.doesNotMatch(line, loosening, line);
    for (const {violation_id: id} of result.violations) assert.match(id, /^[\da-f]{32}-[1-9]\d*$/);
    if (!denial) return;
    const id = /^help: ask the user; denial ([\da-f]{32}-[1-9]\d*)$/m.exec(stderr)?.[1];
    assert.ok(id?.startsWith(result.run_id), stderr);
    const known = [
      ...result.violations.map((one) => one.violation_id),
      /denial (\S+)$/.exec(result.decision?.help ?? '')?.[1],
    ];
    assert.ok(known.includes(id), 'the id of the line is that of the result');
  });
}
