/** Decisions on a machine: the network that waits for an approval (002), and answers that live as long as the terminal session (001). */
import assert from 'node:assert/strict';
import {createServer, type AddressInfo} from 'node:net';
import {existsSync, readdirSync} from 'node:fs';
import {after, test, type TestContext} from 'node:test';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {until} from '../harness/processes.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {openTerminal, type Terminal} from '../harness/terminal.ts';

let reached = 0;
const server = createServer((connection) => {
  reached++;
  connection.on('error', () => undefined).end('reached\n');
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const {port} = server.address() as AddressInfo;

/** A program whose text says nothing of a network. */
const files = {
  'run.sh': `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3\n`,
  '/auto.toml': 'permissions.approval = "auto"\nsandbox.network = "full"\n',
  '/rule.toml':
    'sandbox.network = "full"\n[permissions]\napproval = "auto"\n[[permissions.rules]]\neffect = "allow"\nscope = "command_prefix"\nmatch = "bash run.sh"\n',
  '/never.toml': 'sandbox.network = "full"\n',
  '/ask.toml': 'permissions.approval = "ask"\n',
};
const command = 'bash run.sh';

for (const as of identities) {
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
      /^ion: denied: the network for "bash run\.sh", .* nobody can be asked here$/m,
    );
    // The advice is not the setting that stands there already.
    assert.doesNotMatch(refused.stderr, /sandbox\.network/);
    for (const config of ['rule.toml', 'never.toml']) {
      const approved = await run(config);
      assert.equal(`${approved.code} ${approved.stdout}${approved.stderr}`, '0 reached\n', config);
    }
    assert.equal(reached, 2);
  });
}

/** Nothing that is typed sooner counts. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

async function answer(terminal: Terminal, key: string): Promise<void> {
  await terminal.shows(/Allow\? .*: $/m);
  await pause();
  terminal.keys(key);
  await terminal.shows(new RegExp(`Allow\\? .*: ${key}$`, 'm'));
  terminal.keys('Enter');
}

/** On an empty screen: what is looked for there is this command's. */
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

test('002: its refusal leads to the ask, and a yes runs it once more with the network', (t) =>
  inTerminal(t, async (terminal) => {
    await start(terminal, `ion run --config ../../auto.toml '${command}'`);
    await terminal.shows('approval needed: the network for "bash run.sh"');
    assert.match(terminal.screen(), /network = "full"/);
    await answer(terminal, 's');
    await terminal.shows(/^rc0$/m);
    assert.match(terminal.screen(), /^reached$/m);
    // For the session: now it has the network from the start.
    await start(terminal, `ion run --config ../../auto.toml '${command}'`);
    await terminal.shows(/^rc0$/m);
    assert.doesNotMatch(terminal.screen(), /blocked|approval/);
  }));

test('001: an answer for the session holds in the next run of this terminal, and in no other', (t) =>
  inTerminal(t, async (terminal, {home, work}) => {
    await start(terminal, `ion run --config ../../ask.toml 'touch ran'`);
    await answer(terminal, 's');
    await terminal.shows(/^rc0$/m);
    assert.match(terminal.screen(), /^ion: allowed from now on, just as it is: in this terminal session/m);
    await start(terminal, `ion run --config ../../ask.toml 'touch ran' && rm ran`);
    await terminal.shows(/^rc0$/m);
    assert.ok(!existsSync(`${work}/ran`));
    const [file, ...others] = readdirSync(`${home}/.ion/run`);
    assert.match(file!, /^tty_\d+_[\da-f-]{36}_\d+_\d+\.json$/);
    assert.deepEqual(others, []);
    // Another folder, another boundary, another command, no terminal, another session.
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
    await start(terminal, `CI=1 ion run --config ../../ask.toml 'touch ran'`);
    await terminal.shows(/^rc126$/m);
    await start(
      terminal,
      `script -qec "'${process.execPath}' $(type ion | grep -o "'[^']*ion'" | tail -1) run --config ../../ask.toml 'touch ran'" /dev/null`,
    );
    await answer(terminal, 'n');
    await terminal.shows(/^rc126$/m);
  }));
