import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

/**
 * Commands that are run to learn which functions a start needs. The first process that loads a bundle makes its cache.
 * Functions that later processes call are left out: they would only slow down a plain run.
 */
const typical = [
  ['run', '--config', '../network.toml', 'true'],
  ['run', '--set', 'sandbox.network=loopback', 'true'],
  ['check', 'for name in a b; do rm -rf "$name"; done | tee log'],
  ['run', '--read', 'git --version && sudo -n true || ls'],
  ['run', '--config', '../config.toml', 'true'],
  // It ends when its input ends.
  ['mcp'],
];

/** The first messages of a host of the protocol. */
const opening = [
  {
    id: 1,
    method: 'initialize',
    params: {protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {name: 'build', version: '1'}},
  },
  {id: 2, method: 'tools/list', params: {}},
]
  .map((message) => `${JSON.stringify({jsonrpc: '2.0', ...message})}\n`)
  .join('');

const config = `[permissions]
mode = "write"
deny_commands = ["sudo *"]
denied_paths = ["~/.secret"]
[[permissions.rules]]
effect = "deny"
scope = "command_prefix"
match = "git push"
[sandbox]
network = "none"
`;

const network = `[sandbox.network]
allow = ["registry.example.org", "tcp://10.0.0.5:5432"]
deny = ["*.example.net"]
`;

/**
 * Makes the V8 code caches for this Node by running bin/ion in recording mode. They halve the time that ion adds to Node's
 * own start. Without them (another Node, install scripts disabled) ion only starts slower.
 */
export function makeCodeCache(root) {
  const dist = path.join(root, 'dist');
  const ofThisNode = `-${process.version}-${process.arch}.cache`;
  for (const file of readdirSync(dist)) if (file.endsWith(ofThisNode)) rmSync(path.join(dist, file));
  const scratch = mkdtempSync(path.join(tmpdir(), 'ion-build-'));
  const workspace = path.join(scratch, 'workspace');
  mkdirSync(workspace);
  writeFileSync(path.join(scratch, 'config.toml'), config);
  writeFileSync(path.join(scratch, 'network.toml'), network);
  // A separate home: the recording must not write the user's audit log, and a home may not be a workspace.
  const environment = {...process.env, HOME: path.join(scratch, 'home'), ION_RECORD_CODE_CACHE: '1'};
  delete environment.NODE_OPTIONS;
  for (const args of typical) {
    spawnSync(process.execPath, [path.join(root, 'bin/ion'), ...args], {
      cwd: workspace,
      env: environment,
      ...(args[0] === 'mcp' ? {input: opening} : {}),
    });
  }
  rmSync(scratch, {recursive: true, force: true});
  if (!readdirSync(dist).includes(`ion${ofThisNode}`)) {
    console.error('ion: no code cache was made, starts will be slower');
  }
}
