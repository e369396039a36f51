import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {isWhole} from '../harness/extent.ts';
import {plain, spawnAs} from '../harness/identity.ts';
import {installed} from '../harness/installed.ts';
import {patience} from '../harness/patience.ts';
import {collect, environmentOf} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files} from '../harness/scratch.ts';
import {startStandIn} from './model-stand-in.ts';

const command = 'echo in > done; touch ../outside || true';

interface Agent {
  readonly name: string;
  /** The package of npm. */
  readonly from: string;
  readonly words: readonly string[];
  /** `{url}`: of the stand-in; `{shell}`, `{exec}`: ion-sh and ion-exec. */
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Files;
}

const agents: readonly Agent[] = [
  {
    name: 'Claude Code with CLAUDE_CODE_SHELL_PREFIX',
    from: '@anthropic-ai/claude-code',
    words: ['claude', '-p', '--dangerously-skip-permissions', 'go'],
    env: {
      ANTHROPIC_BASE_URL: '{url}',
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_SHELL_PREFIX: '{exec}',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  },
  {
    name: 'OpenCode with the setting shell',
    from: 'opencode-ai',
    words: ['opencode', 'run', '--model', 'local/stand-in', 'go'],
    env: {OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'},
    files: {
      '~/.config/opencode/opencode.json': JSON.stringify({
        shell: '{shell}',
        permission: 'allow',
        provider: {
          local: {
            npm: '@ai-sdk/openai-compatible',
            options: {baseURL: '{url}/v1', apiKey: 'none'},
            models: {'stand-in': {name: 'stand-in', tool_call: true}},
          },
        },
      }),
    },
  },
];

// These packages have 200 MB each. The programs reach only the stand-in.
for (const {name, from, words, env = {}, files = {}} of isWhole ? agents : []) {
  for (const confined of [true, false]) {
    test(`${name}${confined ? '' : ', and without it'}`, async (t) => {
      const scratch = makeScratch(t, plain);
      const standIn = await startStandIn(command);
      t.after(() => standIn.close());
      const folder = shellElsewhere(scratch);
      const put = (text: string): string =>
        text
          .replaceAll('{url}', standIn.url)
          .replaceAll('{shell}', confined ? `${folder}/ion-sh` : '/bin/bash')
          .replaceAll('{exec}', `${folder}/ion-exec`);
      writeFiles(
        scratch,
        Object.fromEntries(Object.entries(files).map(([file, text]) => [file, put(text as string)])),
      );
      giveTo(scratch.root, plain);
      const set = Object.entries(env).filter(([key]) => confined || !key.endsWith('SHELL_PREFIX'));
      const child = spawn(path.join(installed(from), words[0]!), words.slice(1), {
        cwd: scratch.work,
        env: environmentOf(scratch, Object.fromEntries(set.map(([key, value]) => [key, put(value)]))),
        stdio: ['ignore', 'pipe', 'pipe'],
        ...spawnAs(plain),
      });
      const ended = await collect(child, 120_000 * patience);
      assert.equal(existsSync(`${scratch.work}/done`), true, JSON.stringify(ended));
      assert.equal(existsSync(`${scratch.home}/outside`), !confined);
      // The agent gets ion's words as the result of its tool.
      if (confined) assert.ok(standIn.bodies.some((body) => body.includes('could not change')));
    });
  }
}
