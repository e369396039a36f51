import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

/**
 * Make the V8 code cache for this Node: run one command with bin/ion in recording mode. It halves the time that ion adds to
 * Node's own start. Without it (another Node, scripts not allowed at install) ion only starts slower.
 */
export function makeCodeCache(root) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'ion-build-'));
  const workspace = path.join(scratch, 'workspace');
  mkdirSync(workspace);
  // A home of its own: the user's audit log is not for this, and a home may not be a workspace.
  const environment = {...process.env, HOME: path.join(scratch, 'home'), ION_RECORD_CODE_CACHE: '1'};
  delete environment.NODE_OPTIONS;
  const {status, stderr} = spawnSync(process.execPath, [path.join(root, 'bin/ion'), 'run', 'true'], {
    cwd: workspace,
    env: environment,
    encoding: 'utf8',
  });
  rmSync(scratch, {recursive: true, force: true});
  if (status !== 0) console.error(`ion: no code cache was made, starts will be slower: ${stderr}`);
}
