/**
 * Decisions on a real machine: network access that waits for an approval (002), and answers that last as long as the
 * terminal session (001).
 */
import assert from 'node:assert/strict';
import {createServer, type AddressInfo} from 'node:net';
import {existsSync, readdirSync} from 'node:fs';
import {after, test, type TestContext} from 'node:test';
import {git, makeRepository} from '../harness/git.ts';
import {identities, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {until} from '../harness/processes.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Scratch} from '../harness/scratch.ts';
import {openTerminal, type Terminal} from '../harness/terminal.ts';

let reached = 0;
const server = createServer((connection) => {
  reached++;
  connection.on('error', () => undefined).end('reached\n');
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const {port} = server.address() as AddressInfo;

/** A program whose text does not mention a network. */
const files = {
  'run.sh': `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3\n`,
  '/auto.toml': 'permissions.approval = "auto"\nsandbox.network = "full"\n',
  '/rule.toml':
    'sandbox.network = "full"\n[permissions]\napproval = "auto"\n[[permissions.rules]]\neffect = "allow"\nscope = "command_prefix"\nmatch = "bash run.sh"\n',
  '/never.toml': 'sandbox.network = "full"\n',
  '/ask.toml': 'permissions.approval = "ask"\n',
};
const command = 'bash run.sh';

for (const as of testers) {
  test(`002: a command that was not approved for the network runs without it (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, files);
    const run = (config: string) =>
      runIon(scratch, ['run', '--config', `${scratch.root}/${config}`, command], {as});
    reached = 0;
    const refused = await run('auto.toml');
    assert.equal(reached, 0);
    assert.notEqual(refused.code, 0);
    assert.match(
      refused.stderr,
      /could not reach "127\.0\.0\.1:\d+" \(connect: approval = "auto" asks before a command has the network\)/,
    );
    assert.match(
      refused.stderr,
      /^ion: denied: the network for "bash run\.sh": .* there is no terminal to ask on$/m,
    );
    // The advice must not be a setting that the config already contains.
    assert.doesNotMatch(refused.stderr, /sandbox\.network/);
    for (const config of ['rule.toml', 'never.toml']) {
      const approved = await run(config);
      assert.equal(`${approved.code} ${approved.stdout}${approved.stderr}`, '0 reached\n', config);
    }
    assert.equal(reached, 2);
  });
}

/** git shows a merge by repeating it. With this setting of the repository a command of the safe table then writes. */
const remerges = 'git show -m';

function makeMerge(scratch: Scratch, identity: Identity): void {
  const run = (...args: readonly string[]) => void git(scratch, identity, args);
  makeRepository(scratch, identity);
  run('checkout', '-q', '-b', 'side');
  run('commit', '-q', '--allow-empty', '-m', 'side');
  run('checkout', '-q', '-');
  run('merge', '-q', '--no-ff', '-m', 'merged', 'side');
  run('config', 'log.diffMerges', 'remerge');
}

/** A trusted workspace, in a row of the approval table that asks before a command. */
function trustedAsk({work}: Scratch): string {
  return `permissions.approval = "ask"\npermissions.trusted_paths = ["${work}"]\n`;
}

for (const as of testers) {
  test(`approved because it only reads, then refused a write: without a terminal this is a refusal (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, files);
    makeMerge(scratch, as);
    writeFiles(scratch, {'/trusted.toml': trustedAsk(scratch)});
    const objects = () => readdirSync(`${scratch.work}/.git/objects`);
    const before = objects();
    const run = () =>
      runIon(scratch, ['run', '--json', '--config', `${scratch.root}/trusted.toml`, remerges], {as});
    const refused = await run();
    assert.equal(refused.code, 128, refused.stderr);
    assert.match(refused.stderr, /^ion: blocked: git .* could not change ".*\/tmp_objdir-remerge-diff-/m);
    const {decision} = JSON.parse(refused.stderr.trim().split('\n').at(-1)!) as {
      decision: Record<string, unknown>;
    };
    assert.deepEqual([decision['decision'], decision['decision_reason']], ['deny', 'approved_as_read']);
    assert.deepEqual(objects(), before);
    // The advice works.
    const rule = ['rules', 'add', '--workspace', 'allow', 'command_prefix', remerges];
    assert.equal((await runIon(scratch, rule, {as})).code, 0);
    const allowed = await run();
    assert.equal(allowed.code, 0, allowed.stderr);
    assert.match(allowed.stdout, /^ {4}merged$/m);
  });
}

/** Keys typed before this pause do not count. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

async function answer(terminal: Terminal, key: string): Promise<void> {
  await terminal.shows(/Allow\? .*: $/m);
  await pause();
  terminal.keys(key);
  await terminal.shows(new RegExp(`Allow\\? .*: ${key}$`, 'm'));
  terminal.keys('Enter');
}

/** On an empty screen, so that the searched text comes from this command. */
async function start(terminal: Terminal, line: string): Promise<void> {
  terminal.line('clear');
  await terminal.shows(/^\$ *$/m);
  await until('an empty screen', () => terminal.screen().trim() === '$');
  terminal.line(`${line}; echo rc$?`);
}

const as = identities.at(-1)!;

async function inTerminal(
  t: TestContext,
  use: (terminal: Terminal, scratch: Scratch) => Promise<void>,
): Promise<void> {
  if (!requireProgram(t, 'tmux')) return;
  const scratch = makeScratch(t, as, files);
  const terminal = openTerminal(scratch, as);
  try {
    await until('a prompt', () => /\$ $/m.test(terminal.screen()));
    await use(terminal, scratch);
  } finally {
    await terminal.close();
  }
}

test('002: its refusal leads to a question, and a yes runs it again with the network', (t) =>
  inTerminal(t, async (terminal) => {
    await start(terminal, `ion run --config ../../auto.toml '${command}'`);
    await terminal.shows('approval needed: the network for "bash run.sh"');
    assert.match(terminal.screen(), /network = "full"/);
    await answer(terminal, 's');
    await terminal.shows(/^rc0$/m);
    assert.match(terminal.screen(), /^reached$/m);
    // Allowed for the session: now it has the network from the start.
    await start(terminal, `ion run --config ../../auto.toml '${command}'`);
    await terminal.shows(/^rc0$/m);
    assert.doesNotMatch(terminal.screen(), /blocked|approval/);
  }));

test('001: an answer for the session applies to later runs of this terminal, and to no other', (t) =>
  inTerminal(t, async (terminal, {home, work}) => {
    await start(terminal, `ion run --config ../../ask.toml 'touch ran'`);
    await answer(terminal, 's');
    await terminal.shows(/^rc0$/m);
    assert.match(
      terminal.screen(),
      /^ion: allowed from now on, with exactly this text: in this terminal session/m,
    );
    await start(terminal, `ion run --config ../../ask.toml 'touch ran' && rm ran`);
    await terminal.shows(/^rc0$/m);
    assert.ok(!existsSync(`${work}/ran`));
    const [file, ...others] = readdirSync(`${home}/.ion/run`);
    assert.match(file!, /^tty_\d+_[\da-f-]{36}_\d+_\d+\.json$/);
    assert.deepEqual(others, []);
    // Another folder, another sandbox, another command, no terminal, another session.
    const other = [
      `mkdir -p sub; (cd sub; ion run --config ../../../ask.toml 'touch ran')`,
      `ion run --no-sandbox --config ../../ask.toml 'touch ran'`,
      `ion run --config ../../ask.toml 'touch ran ran2'`,
    ];
    for (const line of other) {
      await start(terminal, line);
      await answer(terminal, 'n');
      await terminal.shows(/^rc126$/m);
    }
    // Allowed for the workspace: the next run does not ask, and a run without a terminal does not either.
    await start(terminal, `ion run --config ../../ask.toml 'touch ran3'`);
    await answer(terminal, 'w');
    await terminal.shows(/^rc0$/m);
    assert.match(terminal.screen(), /^ion: rule written to ~\/\.ion\/grants\/[\da-f]{32}\.toml: allow /m);
    await start(terminal, `CI=1 ion run --config ../../ask.toml 'touch ran3'`);
    await terminal.shows(/^rc0$/m);
    await start(terminal, `CI=1 ion run --config ../../ask.toml 'touch ran'`);
    await terminal.shows(/^rc126$/m);
    await start(
      terminal,
      `script -qec "'${process.execPath}' $(type ion | grep -o "'[^']*ion'" | tail -1) run --config ../../ask.toml 'touch ran'" /dev/null`,
    );
    await answer(terminal, 'n');
    await terminal.shows(/^rc126$/m);
  }));

test('approved because it only reads, then refused a write: on a terminal ion offers to run it again as a write', (t) =>
  inTerminal(t, async (terminal, scratch) => {
    makeMerge(scratch, as);
    writeFiles(scratch, {'/trusted.toml': trustedAsk(scratch)});
    const offer = /Run it once more, as a write\? y once \/ N no: /;
    for (const [key, code] of [
      ['n', 128],
      ['y', 0],
      // The answer is not stored.
      ['n', 128],
    ] as const) {
      await start(
        terminal,
        `ion run --config ../../trusted.toml '${remerges}' | cat; echo rc\${PIPESTATUS[0]}`,
      );
      await terminal.shows(offer);
      assert.match(
        terminal.screen(),
        /^ion: this command was approved because it only reads, but it tried to write$/m,
      );
      assert.match(terminal.screen(), /"git show -m"\n.*change ".*\/\.git\/objects\/tmp_objdir-/);
      await pause();
      terminal.keys(key);
      await terminal.shows(new RegExp(`${offer.source}${key}$`, 'm'));
      terminal.keys('Enter');
      await terminal.shows(new RegExp(`^rc${code}$`, 'm'));
      const [refusal, shown] = [
        /was approved because it only reads, but it tried to change/,
        /^ {4}merged$/m,
      ];
      assert.equal(shown.test(terminal.screen()), key === 'y', terminal.screen());
      assert.equal(refusal.test(terminal.screen().replaceAll('\n', ' ')), key === 'n', terminal.screen());
    }
  }));

test('ION_TRUST_PROJECT, which an .envrc can set, loosens nothing at a terminal; a run without one obeys it', (t) =>
  inTerminal(t, async (terminal, scratch) => {
    const {work, home} = scratch;
    git(scratch, as, ['init', '-q']);
    writeFiles(scratch, {'.ion/config.toml': `sandbox.write_roots = ["${home}/away"]\n`, '~/away/': ''});
    giveTo(scratch.root, as);
    const shown = await runIon(scratch, ['trust'], {as, through: ['setsid', '-w']});
    const [set] = /ION_TRUST_PROJECT=[\da-f]{64}/.exec(shown.stdout)!;
    const line = `env ${set} '${process.execPath}' "$ION" run 'touch ${home}/away/mark'`;
    await start(terminal, `export ION='${ionFile}'; ${line}`);
    await terminal.shows(/^rc1$/m);
    assert.match(terminal.screen().replaceAll(/\s/g, ''), /ION_TRUST_PROJECThasnoeffectataterminal/);
    assert.ok(!existsSync(`${home}/away/mark`), work);
    await start(terminal, `setsid -w ${line} < /dev/null`);
    await terminal.shows(/^rc0$/m);
    assert.ok(existsSync(`${home}/away/mark`));
  }));
