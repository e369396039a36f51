import assert from 'node:assert/strict';
import {existsSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {plain} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles} from '../harness/scratch.ts';
import {programs} from './programs.ts';
import {startStandIn} from './model-stand-in.ts';

const command = 'echo in > done; touch ../outside || true';

/** The facts about the machine that a case needs. */
interface Places {
  /** The URL of the stand-in. */
  readonly url: string;
  readonly sh: string;
  /** The same, by a name that has "bash" in it. */
  readonly bash: string;
  readonly exec: string;
  /** The command of `ion mcp`. */
  readonly mcp: readonly string[];
}

interface Agent {
  readonly name: string;
  readonly program: string;
  /** The tool that the model asks for. */
  readonly tool: RegExp;
  readonly words: readonly string[];
  readonly env?: (places: Places) => Readonly<Record<string, string>>;
  readonly files?: (places: Places) => Readonly<Record<string, object>>;
  /** The agent's own way to run commands can be tried without ion too. */
  readonly open?: boolean;
}

const claude = {
  program: 'claude',
  words: ['-p', '--dangerously-skip-permissions', 'go'],
};
const claudeEnv = ({url}: Places) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'none',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ENABLE_TOOL_SEARCH: 'false',
});
const opencode = {
  program: 'opencode',
  words: ['run', '--model', 'local/stand-in', 'go'],
  env: () => ({OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'}),
};
const opencodeConfig = ({url}: Places, more: object) => ({
  '~/.config/opencode/opencode.json': {
    permission: 'allow',
    provider: {
      local: {
        npm: '@ai-sdk/openai-compatible',
        options: {baseURL: `${url}/v1`, apiKey: 'none'},
        models: {'stand-in': {name: 'stand-in', tool_call: true}},
      },
    },
    ...more,
  },
});
const gemini = {
  program: 'gemini',
  words: ['--yolo', '--skip-trust', '--model', 'gemini-2.5-pro', '--prompt', 'go'],
  env: ({url}: Places) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
};

const agents: readonly Agent[] = [
  {
    ...claude,
    name: 'Claude Code, Bash with CLAUDE_CODE_SHELL_PREFIX',
    tool: /^Bash$/,
    env: (places) => ({...claudeEnv(places), CLAUDE_CODE_SHELL_PREFIX: places.exec}),
    open: true,
  },
  {
    ...claude,
    name: 'Claude Code, Bash with CLAUDE_CODE_SHELL',
    tool: /^Bash$/,
    env: (places) => ({...claudeEnv(places), CLAUDE_CODE_SHELL: places.bash}),
    open: true,
  },
  {
    ...claude,
    name: 'Claude Code, a tool of ion mcp',
    tool: /^mcp__ion__run$/,
    words: ['--mcp-config', 'servers.json', '--strict-mcp-config', ...claude.words],
    env: claudeEnv,
    files: ({mcp: [first, ...rest]}) => ({'servers.json': {mcpServers: {ion: {command: first, args: rest}}}}),
  },
  {
    ...opencode,
    name: 'OpenCode, bash with the setting shell',
    tool: /^bash$/,
    files: (places) => opencodeConfig(places, {shell: places.sh}),
    open: true,
  },
  {
    ...opencode,
    name: 'OpenCode, bash with the variable SHELL',
    tool: /^bash$/,
    env: (places) => ({...opencode.env(), SHELL: places.sh}),
    files: (places) => opencodeConfig(places, {}),
    open: true,
  },
  {
    ...opencode,
    name: 'OpenCode, a tool of ion mcp',
    tool: /^ion_run$/,
    files: (places) =>
      opencodeConfig(places, {mcp: {ion: {type: 'local', command: places.mcp, enabled: true}}}),
  },
  {
    ...gemini,
    name: 'Gemini CLI, a tool of ion mcp',
    tool: /ion.*_run$|^run$/,
    files: ({mcp: [first, ...rest]}) => ({
      '~/.gemini/settings.json': {
        security: {auth: {selectedType: 'gemini-api-key'}},
        mcpServers: {ion: {command: first, args: rest, trust: true}},
      },
    }),
  },
];

for (const agent of programs === undefined ? [] : agents) {
  for (const confined of agent.open ? [true, false] : [true]) {
    test(`${agent.name}${confined ? '' : ', and without it'}`, async (t) => {
      const scratch = makeScratch(t, plain);
      const standIn = await startStandIn([
        {tool: agent.tool, input: agent.open ? {command, description: 'test'} : {command}},
      ]);
      t.after(() => standIn.close());
      const folder = shellElsewhere(scratch);
      const places: Places = {
        url: standIn.url,
        sh: confined ? `${folder}/ion-sh` : '/bin/bash',
        bash: confined ? `${folder}/ion-bash` : '/bin/bash',
        exec: confined ? `${folder}/ion-exec` : '',
        mcp: [process.execPath, ionFile, 'mcp'],
      };
      symlinkSync('ion-sh', `${folder}/ion-bash`);
      const files = Object.entries(agent.files?.(places) ?? {});
      writeFiles(scratch, Object.fromEntries(files.map(([file, value]) => [file, JSON.stringify(value)])));
      giveTo(scratch.root, plain);
      const env = Object.entries(agent.env?.(places) ?? {}).filter(([, value]) => value !== '');
      const ended = await runProgram(scratch, [path.join(programs!, agent.program), ...agent.words], {
        as: plain,
        env: Object.fromEntries(env),
        timeoutMs: 180_000 * patience,
      });
      const said = JSON.stringify({...ended, bodies: standIn.bodies.map((body) => body.slice(0, 300))});
      assert.equal(existsSync(`${scratch.work}/done`), true, said);
      assert.equal(existsSync(`${scratch.home}/outside`), !confined, said);
      // The agent gets ion's message as the result of its tool. Claude Code shows the model the structured result of ion mcp.
      if (confined)
        assert.ok(
          standIn.bodies.some((body) => /could not (?:change|write)|ask the user; denial/.test(body)),
          said,
        );
    });
  }
}

test('Claude Code inside a run, with ion-sh as its shell', {skip: programs === undefined}, async (t) => {
  const scratch = makeScratch(t, plain);
  const standIn = await startStandIn([{tool: /^Bash$/, input: {command, description: 'test'}}]);
  t.after(() => standIn.close());
  const folder = shellElsewhere(scratch);
  symlinkSync('ion-sh', `${folder}/ion-bash`);
  giveTo(scratch.root, plain);
  const env = {
    ...claudeEnv({url: standIn.url} as Places),
    CLAUDE_CODE_SHELL: `${folder}/ion-bash`,
    CLAUDE_CONFIG_DIR: `${scratch.work}/state`,
  };
  const sets = {
    'sandbox.network.allow': [`localhost:${new URL(standIn.url).port}`],
    'sandbox.read_roots': [path.dirname(folder), path.resolve(programs!, '../..')],
    'environment.keep': Object.keys(env),
  };
  const options = Object.entries(sets).flatMap(([key, value]) => [
    '--set',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const {code, stdout, stderr} = await runIon(
    scratch,
    ['run', ...options, '--', path.join(programs!, claude.program), ...claude.words],
    {as: plain, env, timeoutMs: 180_000 * patience},
  );
  const said = JSON.stringify({
    code,
    stdout,
    stderr,
    bodies: standIn.bodies.map((body) => body.slice(0, 300)),
  });
  assert.equal(existsSync(`${scratch.work}/done`), true, said);
  assert.equal(existsSync(`${scratch.home}/outside`), false, said);
  // The outer run reports it. The shell inside adds no boundary of its own, and so no message.
  assert.match(stderr, /could not (?:create|change|write)/, said);
  assert.ok(!standIn.bodies.some((body) => /\\nion: |exit code 125/i.test(body)), said);
});
