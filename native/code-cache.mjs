import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

/**
 * What is run to learn which functions are needed. A bundle's cache is made by the first that loads it: what the others call
 * beyond that would only make the start of a plain run longer.
 */
const typical = [
  ['run', 'true'],
  ['check', 'for name in a b; do rm -rf "$name"; done | tee log'],
  ['run', '--read', 'git --version && sudo -n true || ls'],
  ['run', '--config', '../config.toml', 'true'],
];

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

/**
 * Make the V8 code caches for this Node: run bin/ion in recording mode. They halve the time that ion adds to Node's own start.
 * Without them (another Node, scripts not allowed at install) ion only starts slower.
 */
export function makeCodeCache(root) {
  const dist = path.join(root, 'dist');
  const ofThisNode = `-${process.version}-${process.arch}.cache`;
  for (const file of readdirSync(dist)) if (file.endsWith(ofThisNode)) rmSync(path.join(dist, file));
  const scratch = mkdtempSync(path.join(tmpdir(), 'ion-build-'));
  const workspace = path.join(scratch, 'workspace');
  mkdirSync(workspace);
  writeFileSync(path.join(scratch, 'config.toml'), config);
  // A home of its own: the user's audit log is not for this, and a home may not be a workspace.
  const environment = {...process.env, HOME: path.join(scratch, 'home'), ION_RECORD_CODE_CACHE: '1'};
  delete environment.NODE_OPTIONS;
  for (const args of typical) {
    spawnSync(process.execPath, [path.join(root, 'bin/ion'), ...args], {cwd: workspace, env: environment});
  }
  rmSync(scratch, {recursive: true, force: true});
  if (!readdirSync(dist).includes(`ion${ofThisNode}`)) {
    console.error('ion: no code cache was made, starts will be slower');
  }
}
