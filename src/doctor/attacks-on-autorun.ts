import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {waits, type Attack} from './attack.ts';
import {replaceFolder} from './meanwhile.ts';

/** Attacks on files that programs outside the sandbox run. */
export const onAutorun = {
  autorun: [
    {name: 'write a hook', doctor: true, script: 'echo x >> .git/hooks/pre-commit'},
    {name: 'replace the hooks folder', doctor: true, script: 'mv .git .git-old'},
    {name: 'remove a folder of editor settings', doctor: true, script: 'rmdir .vscode'},
    {name: 'write the target of a symlink in a hooks folder', doctor: true, script: 'echo x >> tools/hook'},
    {
      name: 'write a hook in a hooks folder that another process replaced',
      doctor: true,
      meanwhile: (workspace) => replaceFolder(path.join(workspace, '.git/hooks'), 'pre-commit'),
      script: `${waits}echo x >> .git/hooks/pre-commit`,
    },
    {
      name: 'change the mode of settings that another process replaced',
      doctor: true,
      meanwhile: (workspace) => replaceFolder(path.join(workspace, '.vscode'), 'tasks.json'),
      script: `${waits}chmod 777 .vscode/tasks.json`,
    },
  ],
  'autorun-new': [
    {name: 'plant a file for direnv', script: 'echo x > .envrc'},
    {name: 'plant agent settings', script: 'mkdir .claude'},
    {name: 'plant a file by renaming it', script: 'echo x > f && mv f .mcp.json'},
    {
      name: 'plant settings under a name that some file systems treat as the same',
      script: "mkdir $'.c\\u200claude.'",
    },
  ],
  'autorun-nested': [
    {
      name: 'write a hook of a nested repository',
      doctor: true,
      script: 'echo x >> below/.git/hooks/pre-commit',
    },
    {
      name: 'make git run a program by the config of a nested repository',
      doctor: true,
      script: 'printf "[core]\\n\\tfsmonitor = evil\\n" >> below/.git/config',
    },
    {
      // The file is created during the run, but not by the run. The creation time does not show the difference: overlayfs also
      // sets it when it copies a file up.
      name: 'write a hook of a repository that another process creates during the run',
      doctor: true,
      meanwhile: (workspace) => {
        mkdirSync(path.join(workspace, 'later/.git/hooks'), {recursive: true});
        writeFileSync(path.join(workspace, 'later/.git/HEAD'), 'ref: refs/heads/main\n');
      },
      // An inode number is soon used again.
      script: `mkdir t; mkdir t/{1..30}; mv t t2; rm -r t2\n${waits}echo x > later/.git/hooks/pre-commit`,
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
