import {quoted} from '../../errors.ts';
import type {Hook, HookEvent} from '../../config/settings.ts';
import type {EventBodies} from '../../audit/events.ts';
import type {HookVerdict} from '../../policy/decision.ts';
import {describeOrigin} from '../../config/read/origin.ts';
import {escaped} from '../report/escaped.ts';
import {expandPlaceholders, placeholderVariables} from './placeholders.ts';
import {readAnswer, type Answer, type HookEnd} from './hook-answer.ts';
import {monotonicMs} from '../../system/clock.ts';

/** A hook's process, which the session starts in the sandbox of the action that the hook watches. */
export interface HookLaunch {
  /** A bash command. Values are in `environment` and on stdin, never in this text. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** After this time the whole tree is killed. */
  readonly timeoutMs: number;
  /** The limit for stdout and for stderr. Longer output is read and discarded. */
  readonly maxOutputBytes: number;
  /** False only for a hook of `~/.ion` or `--config` with `sandbox = false`. */
  readonly sandbox: boolean;
}

/** Starts a hook. A rejection means that it could not be started. */
export type SpawnHook = (launch: HookLaunch) => Promise<HookEnd>;

/** The input of a hook. Names and shapes are those of Claude Code's hooks, so that existing scripts work. */
export interface HookInput {
  readonly event: HookEvent;
  readonly sessionId: string;
  readonly cwd: string;
  readonly permissionMode: string;
  /** ion's name: `bash`, `write`, `mcp:server/tool`. Absent for SessionStart, Stop and PreCompact. */
  readonly tool?: string;
  readonly toolInput?: Readonly<Record<string, unknown>>;
  readonly toolResponse?: unknown;
  /** The values of `{file}` and `{command}`. */
  readonly file?: string;
  readonly command?: string;
  /** Fields that only this event has: `source`, `trigger`, `stop_hook_active`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface HooksResult {
  /** For decide(). A PreToolUse hook that failed counts as a deny. */
  readonly verdicts: readonly HookVerdict[];
  readonly events: readonly EventBodies['hook.finished'][];
  readonly warnings: readonly string[];
  /** The input that the last replacing hook chose. It needs a new decision. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

const defaultTimeoutMs = 60_000;
const maxOutputBytes = 64 * 1024;
/** The kernel's limit for one variable, name and NUL included (MAX_ARG_STRLEN). */
const maxVariableBytes = 128 * 1024 - 64;

/** Runs every hook that watches this event and tool, one after the other, in the order of the config. */
export async function runHooks(
  input: HookInput,
  hooks: readonly Hook[],
  spawn: SpawnHook,
): Promise<HooksResult> {
  const verdicts: HookVerdict[] = [];
  const events: EventBodies['hook.finished'][] = [];
  const warnings: string[] = [];
  let updatedInput: Readonly<Record<string, unknown>> | undefined;
  const guards = input.event === 'PreToolUse';
  for (const hook of hooks.filter((one) => watches(one, input))) {
    const started = monotonicMs();
    const {answer: given, end} = await runOne(hook, input, spawn);
    const answer = hook.onlyForbids ? withoutInput(given) : given;
    events.push(finished(hook, answer, end, monotonicMs() - started));
    const about = `the hook ${quoted(hook.command)} (${describeOrigin(hook.origin)})`;
    if (answer.effect === 'allow' && hook.onlyForbids) {
      warnings.push(`${about} allowed it, which has no effect until "ion trust" is run again`);
    } else if (answer.effect && guards) {
      verdicts.push({
        effect: answer.effect,
        because: answer.message,
        origin: hook.origin,
        command: hook.command,
      });
    } else {
      // The hook's text is shown on a terminal: it must not contain control sequences or look like a line of ion's.
      const said = [
        ...(answer.effect === 'deny' ? ['answered no, which has no effect for this event'] : []),
        answer.message,
      ];
      const text = said.filter((part) => part !== '').join(': ');
      if (text !== '') warnings.push(`${about} ${escaped(text)}`);
    }
    updatedInput = answer.updatedInput ?? updatedInput;
    if (guards && answer.effect === 'deny') break;
  }
  return {verdicts, events, warnings, ...(updatedInput ? {updatedInput} : {})};
}

/**
 * A hook whose workspace changed must not replace the input. The original input must not run then either, so this is
 * a deny.
 */
function withoutInput(answer: Answer): Answer {
  const {updatedInput, ...others} = answer;
  if (!updatedInput || answer.effect === 'deny') return others;
  const message = 'replaced the input, which has no effect until "ion trust" is run again';
  return {outcome: 'block', message, effect: 'deny'};
}

/** The whole name must match: `bash` does not watch `mcp:bash/run`. Claude Code's name of a tool matches too. */
export function watches({event, match}: Hook, input: HookInput): boolean {
  if (event !== input.event) return false;
  if (match === undefined || match === '' || match === '*' || input.tool === undefined) return true;
  const whole = new RegExp(`^(?:${match})$`);
  return whole.test(input.tool) || whole.test(claudeName(input.tool));
}

async function runOne(
  hook: Hook,
  input: HookInput,
  spawn: SpawnHook,
): Promise<{answer: Answer; end: HookEnd | undefined}> {
  const guards = input.event === 'PreToolUse';
  try {
    const environment = variables(input);
    const end = await spawn({
      command: expandPlaceholders(hook.command),
      environment,
      stdin: JSON.stringify(stdinOf(input)),
      timeoutMs: hook.timeoutMs ?? defaultTimeoutMs,
      maxOutputBytes,
      // The config alone does not decide this: a hook of a project never leaves the sandbox.
      sandbox: hook.sandbox || !['user', 'config-flag', 'set'].includes(hook.origin.layer),
    });
    return {answer: readAnswer(end, input.event), end};
  } catch (error) {
    const message = `could not be started: ${error instanceof Error ? error.message : String(error)}`;
    const answer: Answer = {outcome: 'failed', message, ...(guards ? {effect: 'deny' as const} : {})};
    return {answer, end: undefined};
  }
}

function variables(input: HookInput): Record<string, string> {
  const values = {
    [placeholderVariables.file]: input.file ?? '',
    [placeholderVariables.command]: input.command ?? '',
    ION_TOOL: input.tool ?? '',
    ION_HOOK_EVENT: input.event,
    CLAUDE_PROJECT_DIR: input.cwd,
  };
  for (const [name, value] of Object.entries(values)) {
    if (Buffer.byteLength(value) > maxVariableBytes) throw new Error(`${name} is too long for a variable`);
    if (value.includes('\0')) throw new Error(`${name} has a NUL byte`);
  }
  return values;
}

function stdinOf(input: HookInput): Record<string, unknown> {
  return {
    session_id: input.sessionId,
    transcript_path: '',
    cwd: input.cwd,
    permission_mode: input.permissionMode,
    hook_event_name: input.event,
    ...(input.tool === undefined
      ? {}
      : {tool_name: claudeName(input.tool), ion_tool: input.tool, tool_input: input.toolInput ?? {}}),
    ...(input.toolResponse === undefined ? {} : {tool_response: input.toolResponse}),
    ...input.extra,
  };
}

const claudeNames: Readonly<Record<string, string>> = {
  bash: 'Bash',
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  glob: 'Glob',
  grep: 'Grep',
  ls: 'LS',
};

/** Returns the name that Claude Code gives a tool: `Bash`, or `mcp__server__tool` for a tool of an MCP server. */
export function claudeName(tool: string): string {
  const server = /^mcp:([^/]*)\/(.*)$/s.exec(tool);
  if (server) return `mcp__${server[1]}__${server[2]}`;
  return Object.hasOwn(claudeNames, tool) ? claudeNames[tool]! : tool;
}

function finished(
  hook: Hook,
  {outcome, message}: Answer,
  end: HookEnd | undefined,
  durationMs: number,
): EventBodies['hook.finished'] {
  return {
    hook_event: hook.event,
    command: hook.command,
    at: describeOrigin(hook.origin),
    outcome,
    exit_code: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    duration_ms: Math.round(durationMs),
    message,
  };
}
