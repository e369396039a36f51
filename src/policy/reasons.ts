/**
 * Every reason that a decision can have. The codes are stable: the audit log, `--json` and scripts that read them use
 * them. A hard denial is final: no rule, grant, hook, mode, answer or denial count changes it.
 */
export const reasons = {
  // Task restrictions: what this run or the caller denied.
  task_tool_denied: {hard: true, about: 'the tool is denied for this run'},
  task_command_denied: {hard: true, about: 'the command is denied for this run'},

  // Hard guardrails: they apply in every mode.
  guardrail: {hard: true, about: 'the command would destroy the machine or the home folder'},
  denied_path: {hard: true, about: 'the command names a path of denied_paths, in any spelling'},
  file_tool_etc: {hard: true, about: 'file tools do not work below /etc'},
  deny_command: {hard: true, about: 'a segment of the command matches deny_commands'},
  deny_command_unclear: {
    hard: true,
    about: 'deny_commands exist, the command is not fully understood, and executions cannot be checked',
  },

  // Capability gates.
  read_mode_tool: {hard: true, about: 'the tool makes changes, and the mode is read'},
  read_mode_command: {hard: true, about: 'the command is not in the safe table, and the mode is read'},
  path_check: {
    hard: true,
    about: 'the system has no sandbox, and a path of the command is outside the roots',
  },
  path_check_unclear: {
    hard: true,
    about: 'the system has no sandbox, and a part of the command is not understood',
  },
  withheld: {hard: true, about: 'the definition of the MCP tool is not one that the user has accepted'},
  cross_frame: {hard: false, about: 'a write into a frame that is not active always asks'},

  // Hooks.
  hook_deny: {hard: true, about: 'a PreToolUse hook blocked the action'},
  hook_ask: {hard: false, about: 'a PreToolUse hook asks for a decision of the user'},
  hook_allow: {hard: false, about: 'a PreToolUse hook allowed the action, and no rule denies or asks'},

  // Explicit rules.
  rule_deny: {hard: true, about: 'the winning rule denies'},
  rule_unclear: {
    hard: true,
    about: 'rules deny commands, this one is not fully understood, and executions cannot be checked',
  },
  rule_ask: {hard: false, about: 'the winning rule asks'},
  rule_allow: {hard: false, about: 'the winning rule allows'},
  session_allow: {hard: false, about: 'the user allowed the same action for this session'},

  // The approval mode.
  builtin_allow: {hard: false, about: 'a built-in read-only tool: never asks'},
  workspace_allow: {hard: false, about: 'a plain read-only command in a trusted workspace: never asks'},
  allowed_tool: {hard: false, about: 'the tool is in allowed_tools'},
  auto_approve_pattern: {hard: false, about: 'the command matches auto_approve_patterns'},
  mode_allow: {hard: false, about: "the approval mode's row allows this class of action"},
  mode_ask: {hard: false, about: "the approval mode's row asks for this class of action"},
  mode_deny: {hard: false, about: "the approval mode's row denies this class of action"},

  approved_as_read: {
    hard: false,
    about:
      'the command ran without a question because it only reads; a write was refused, and the user did not allow it',
  },

  // Denial fallback and asking.
  denial_fallback: {hard: false, about: 'too many soft denials: the user is asked instead'},
  ask_unavailable: {hard: false, about: 'a question is needed, and there is no terminal to ask on'},
  answer_allow: {hard: false, about: 'the user said yes'},
  answer_deny: {hard: false, about: 'the user said no'},
  answer_dropped: {
    hard: false,
    about: 'the user said yes, but the command had ended, or had run since the question: no',
  },
  answer_timeout: {hard: false, about: 'the user did not answer in time: no'},
  cross_frame_allow: {hard: false, about: 'the user allowed the write into another frame'},
  cross_frame_deny: {hard: false, about: 'the user declined the write into another frame'},

  // The action is denied when no stage decides.
  no_stage_decided: {hard: true, about: 'no stage decided: this is a bug in ion, so the action is denied'},
} as const satisfies Record<string, {readonly hard: boolean; readonly about: string}>;

export type Reason = keyof typeof reasons;

export function isHard(reason: Reason): boolean {
  return reasons[reason].hard;
}
