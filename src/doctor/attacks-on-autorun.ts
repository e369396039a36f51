import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {ProtectionId} from '../sandbox/matrix.ts';
import {waits, type Attack} from './attack.ts';
import {replaceFolder} from './meanwhile.ts';

/** Attacks on what something outside runs. */
export const onAutorun = {
  autorun: [
    {name: 'write a hook', doctor: true, script: 'echo x >> .git/hooks/pre-commit'},
    {name: 'replace the folder of hooks', doctor: true, script: 'mv .git .git-old'},
    {name: 'remove an editor setting', doctor: true, script: 'rmdir .vscode'},
    {name: 'write what a link in it leads to', doctor: true, script: 'echo x >> tools/hook'},
    {
      name: 'write a hook in a folder that another process has put there',
      doctor: true,
      meanwhile: (workspace) => replaceFolder(path.join(workspace, '.git/hooks'), 'pre-commit'),
      script: `${waits}echo x >> .git/hooks/pre-commit`,
    },
    {
      name: 'change the mode of what another process has put there',
      doctor: true,
      meanwhile: (workspace) => replaceFolder(path.join(workspace, '.vscode'), 'tasks.json'),
      script: `${waits}chmod 777 .vscode/tasks.json`,
    },
  ],
  'autorun-new': [
    {name: 'plant a file for direnv', script: 'echo x > .envrc'},
    {name: 'plant agent settings', script: 'mkdir .claude'},
    {name: 'plant a file by renaming it', script: 'echo x > f && mv f .mcp.json'},
    {name: 'plant a file in other capitals', script: "mkdir $'.c\\u200claude.'"},
  ],
  'autorun-nested': [
    {
      name: 'write a hook of a repository below',
      doctor: true,
      script: 'echo x >> below/.git/hooks/pre-commit',
    },
    {
      name: 'have such a repository run something',
      doctor: true,
      script: 'printf "[core]\\n\\tfsmonitor = evil\\n" >> below/.git/config',
    },
    {
      // Born in the run, as what overlayfs copies up is, and not made by it.
      name: 'write a hook of a repository that another process makes meanwhile',
      doctor: true,
      meanwhile: (workspace) => {
        mkdirSync(path.join(workspace, 'later/.git/hooks'), {recursive: true});
        writeFileSync(path.join(workspace, 'later/.git/HEAD'), 'ref: refs/heads/main\n');
      },
      script: `${waits}echo x > later/.git/hooks/pre-commit`,
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
