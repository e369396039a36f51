import {checkRecord, refusalsOf} from '../../session/report/check-record.ts';
import {exitCodes} from '../../errors.ts';
import {openJobs} from './jobs.ts';
import {runCommand, type CommandInput} from './run-tool.ts';
import type {Serving} from './serving.ts';
import {explain} from './explain-denial.ts';
import {textResult} from './tool-result.ts';
import {flag, integer, object, reads, text, type Tool} from './tool-table.ts';

const command = text('a bash command');
const place = {
  'cwd?': text('the folder to start in; by default the workspace, or the folder that keep_cwd has kept'),
  'timeout_seconds?': integer('ends the command and everything it started', 1, 86_400),
};
const job = text('the handle that "start" returned');
const acts = {readOnlyHint: false, destructiveHint: true, openWorldHint: true} as const;

/** Tools that run commands, and those that explain what may run. */
export function commandTools(serving: Serving): Tool[] {
  const jobs = openJobs(serving);
  return [
    {
      name: 'run',
      title: 'Run a command',
      description:
        'Runs a bash command in the sandbox of this workspace, to its end. The result has the exit code, the output, and what the sandbox refused.',
      input: object({
        command,
        ...place,
        'keep_cwd?': flag('later commands without a cwd start in the folder of this one'),
        'read?': flag('read mode: only commands that read, and nothing is writable'),
      }),
      hints: acts,
      call: (input, call) => runCommand(serving, {read: false, ...(input as CommandInput)}, call),
    },
    {
      name: 'run_read',
      title: 'Run a command that only reads',
      description:
        'Runs a bash command in read mode: only commands that are known to read, nothing writable, no network.',
      input: object({command, ...place}),
      hints: reads,
      call: (input, call) => runCommand(serving, {...(input as CommandInput), read: true}, call),
    },
    {
      name: 'start',
      title: 'Start a long command',
      description:
        'Starts a command in the sandbox and returns a handle at once. It ends with this connection at the latest.',
      input: object({command, ...place, 'read?': flag('read mode')}),
      hints: acts,
      call: (input) => jobs.start(input),
    },
    {
      name: 'output',
      title: 'Read the output of a started command',
      description: 'Returns the output since the last call, and the exit code when the command has ended.',
      input: object({job, 'wait_seconds?': integer('waits for output, or for the end', 0, 50)}),
      hints: {...reads, idempotentHint: false},
      call: (input, call) => jobs.output(input, call),
    },
    {
      name: 'input',
      title: 'Write to a started command',
      description: 'Writes text to the standard input of a started command.',
      input: object({
        job,
        'text?': text('what to write, with its line breaks'),
        'end?': flag('closes its input'),
      }),
      hints: {...acts, openWorldHint: false},
      call: (input) => jobs.input(input),
    },
    {
      name: 'stop',
      title: 'Stop a started command',
      description: 'Ends a started command and everything it started.',
      input: object({job, 'signal?': {type: 'string', enum: ['SIGTERM', 'SIGINT', 'SIGKILL']}}),
      hints: {...acts, openWorldHint: false, idempotentHint: true},
      call: (input) => jobs.stop(input),
    },
    {
      name: 'check',
      title: 'Check a command',
      description: 'Decides about a command without running it: whether it may run, and by which rule.',
      input: object({command}),
      hints: reads,
      call: async (input) => {
        const decided = await serving.session.preview((input as {command: string}).command);
        const record = checkRecord(decided, refusalsOf(serving.session, decided));
        const help = record.help === null ? null : 'ask the user';
        const allowed = record.decision === 'allow';
        const lines = [`${allowed ? 'allowed' : 'denied'}: ${record.message}`, ...record.will_refuse];
        return textResult(lines.join('\n'), {...record, help, exit_code: allowed ? 0 : exitCodes.denied});
      },
    },
    {
      name: 'explain',
      title: 'Explain a refusal',
      description:
        'Without an id: the sandbox that is in force. With the id of a denial: what was refused, to which program, and by which rule.',
      input: object({'id?': text('the id of a denial')}),
      hints: reads,
      call: async (input) => explain(serving, (input as {id?: string}).id),
    },
  ];
}
