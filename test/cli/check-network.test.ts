import assert from 'node:assert/strict';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const table = `[sandbox.network]
allow = ["ok.example",
  "*.wild.example", "tcp://10.0.0.5:5432"]
deny = ["bad.wild.example"]
`;

/** The lines of `ion check` about the network, for an address in the command. */
const cases: readonly {readonly command: string; readonly want: string}[] = [
  {
    command: 'curl https://ok.example/x',
    want: 'network: "ok.example:443" is allowed by sandbox.network.allow "ok.example" (c.toml:2)\n',
  },
  {
    command: 'curl https://a.wild.example/',
    want: 'network: "a.wild.example:443" is allowed by sandbox.network.allow "*.wild.example" (c.toml:3)\n',
  },
  {
    command: 'curl https://bad.wild.example/',
    want: '  "bad.wild.example" is denied by sandbox.network.deny "bad.wild.example" (c.toml:4)\n    help: remove the entry from sandbox.network.deny to allow it\n',
  },
  {
    command: 'curl https://ok.example:8443/',
    want: '  "ok.example:8443" is not on the network allow list\n    help: for this run: --set \'sandbox.network.allow+="ok.example:8443"\'; for all: sandbox.network.allow = ["ok.example:8443"] in ~/.ion/config.toml\n',
  },
  {
    command: 'curl https://x.example/',
    want: '  "x.example:443" is not on the network allow list\n    help: for this run: --set sandbox.network.allow+=x.example; for all: sandbox.network.allow = ["x.example"] in ~/.ion/config.toml\n',
  },
];

test('ion check: an address of the command, and the entry of the network table for it', async (t) => {
  const scratch = makeScratch(t, plain, {'c.toml': table});
  for (const {command, want} of cases) {
    const {stdout, stderr} = await runIon(scratch, ['check', '--config', 'c.toml', command], {as: plain});
    assert.ok((stdout + stderr).includes(want), `${command}: ${stdout}${stderr}`);
  }
});

test('ion config: each entry of the network table with its place', async (t) => {
  const scratch = makeScratch(t, plain, {'c.toml': table});
  const args = [
    'config',
    '--config',
    'c.toml',
    '--set',
    'sandbox.network.allow+=["more.example"]',
    'sandbox.network',
  ];
  const {stdout, stderr} = await runIon(scratch, args, {as: plain});
  for (const [entry, place] of [
    ['ok.example', 'c.toml:2'],
    ['*.wild.example', 'c.toml:3'],
    ['tcp://10.0.0.5:5432', 'c.toml:3'],
    ['bad.wild.example', 'c.toml:4'],
    ['more.example', '--set'],
  ])
    assert.match(
      stdout,
      new RegExp(`^ *"${entry!.replaceAll(/[*.]/g, '\\$&')}",? +# ${place}`, 'm'),
      stdout + stderr,
    );
});
