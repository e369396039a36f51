import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {testCases} from '../harness/cases.ts';
import {runIon} from '../harness/run.ts';

/** ion's exit codes: the command's own, 128+N, 124, 125, 126, 127. */
testCases('exit code', [
  {name: 'success', args: ['run', 'true']},
  {name: "the command's own", args: ['run', 'exit 3'], code: 3},
  {name: 'the highest exit code', args: ['run', 'exit 255'], code: 255},
  {name: "the command's own 125 and 126 are passed on", args: ['run', 'exit 126'], code: 126},
  {name: 'of the last in a pipeline', args: ['run', 'false | true']},
  {name: 'SIGTERM to itself', args: ['run', 'kill -TERM $$'], code: 143},
  {name: 'SIGKILL to itself', args: ['run', 'kill -KILL $$'], code: 137},
  {name: 'SIGSEGV to itself', args: ['run', 'ulimit -c 0; kill -SEGV $$'], code: 139},
  {name: 'SIGPIPE to itself', args: ['run', 'kill -PIPE $$'], code: 141},
  {
    name: 'a command that does not exist',
    args: ['run', 'surely-not-a-command'],
    code: 127,
    stderr: '/bin/bash: line 1: surely-not-a-command: command not found\n',
  },
  {name: 'a syntax error', args: ['run', 'if'], code: 2, stderr: /syntax error/},
  {
    name: 'timed out',
    args: ['run', '--timeout', '300ms', 'echo before; sleep 60; echo after'],
    code: 124,
    stdout: 'before\n',
    stderr:
      'ion: timed out after 300ms: killed the command and everything it started\nhelp: for this run: --timeout 600ms\n',
  },
  {
    name: 'timed out while stopped',
    args: ['run', '--timeout', '300ms', 'bash -c "kill -STOP \\$\\$"; sleep 60'],
    code: 124,
    stderr: /timed out/,
  },
  {
    name: 'timed out, by a config file',
    files: {'limits.toml': '[sandbox.limits]\ntimeout = "300ms"\n'},
    args: ['run', '--config', 'limits.toml', 'sleep 60'],
    code: 124,
    stderr: /timed out/,
  },
  {
    name: 'timed out, although it ignores SIGTERM (after the grace time)',
    args: ['run', '--timeout', '200ms', 'trap "" TERM; while :; do sleep 1; done'],
    code: 124,
    stderr: /timed out/,
  },
  {
    name: 'denied by policy: nothing ran',
    files: {'deny.toml': '[permissions]\ndeny_commands = ["git push *"]\n'},
    args: ['run', '--config', 'deny.toml', 'touch made; git push origin main'],
    code: 126,
    stderr:
      'ion: denied: "git push origin main" matches deny_commands "git push *"\n --> deny.toml:2\nhelp: "ion check" with this command shows every rule that matched\n',
    after: ({work}) => assert.deepEqual(readdirSync(work), ['deny.toml']),
  },
  {
    name: 'denied by a rule of a config',
    files: {
      '~/.ion/config.toml':
        '[[permissions.rules]]\neffect = "deny"\nscope = "command_prefix"\nmatch = "git push"\n',
    },
    args: ['run', 'git push'],
    code: 126,
    stderr:
      'ion: denied: "git push" matches the deny rule command_prefix "git push"\n --> ~/.ion/config.toml:1\nhelp: remove the rule from that config to allow it\n',
  },
  {
    name: 'denied by a rule that ion keeps',
    before: async (scratch, as) => {
      const kept = await runIon(scratch, ['rules', 'add', 'deny', 'command_prefix', 'git push'], {as});
      assert.equal(kept.code, 0, kept.stderr);
    },
    args: ['run', 'git push'],
    code: 126,
    stderr: / --> ~\/\.ion\/rules\.json:\d+\nhelp: "ion rules list" shows its id; [^\n]*\n$/,
  },
  {
    name: 'a command that is too long to check: a script file works instead',
    args: ['run', 'true; '.repeat(10_001)],
    code: 126,
    stderr: /more than 10000 commands\nhelp: put it into a file and run: bash <file>\n$/,
  },
  {
    name: 'denied by a guardrail, without a sandbox too',
    args: ['run', '--no-sandbox', 'rm -rf /'],
    code: 126,
    stderr: /no sandbox[^]*denied: "rm -rf \/"/,
  },
]);
