/**
 * Every reason a decision can have. The codes are stable: they stand in the audit log, in `--json` and in scripts
 * that read them. A hard denial is final: no rule, grant, hook, mode, answer or denial count changes it.
 */
export const reasons = {
  // Task restrictions: what this run or caller was denied.
  task_tool_denied: {hard: true, about: 'the tool is denied for this run'},
  task_command_denied: {hard: true, about: 'the command is denied for this run'},

  // Hard guardrails: hold in every mode.
  guardrail: {hard: true, about: 'the command would destroy the machine or the home folder'},
  denied_path: {hard: true, about: 'a path of denied_paths is named, in whatever spelling'},
  file_tool_etc: {hard: true, about: 'file tools do not work below /etc'},
  deny_command: {hard: true, about: 'a segment of the command matches deny_commands'},
  deny_command_unclear: {
    hard: true,
    about: 'deny rules exist, the command is not understood, and nothing checks again at exec',
  },

  // Capability gates.
  read_mode_tool: {hard: true, about: 'the tool changes things, and the mode is read'},
  read_mode_command: {hard: true, about: 'the command is not in the safe table, and the mode is read'},
  path_check: {
    hard: true,
    about: 'no sandbox of the system is here, and a path of the command lies outside the roots',
  },
  path_check_unclear: {
    hard: true,
    about: 'no sandbox of the system is here, and a part of the command cannot be followed',
  },
  cross_frame: {hard: false, about: 'a write lands in a frame that is not the active one: always asks'},

  // Hooks.
  hook_deny: {hard: true, about: 'a PreToolUse hook blocked the action'},
  hook_ask: {hard: false, about: 'a PreToolUse hook wants a person to decide'},
  hook_allow: {hard: false, about: 'a PreToolUse hook allowed the action, and no rule says otherwise'},

  // Explicit rules.
  rule_deny: {hard: true, about: 'the winning rule denies'},
  rule_unclear: {
    hard: true,
    about: 'rules deny commands, this one is not understood, and nothing checks again at exec',
  },
  rule_ask: {hard: false, about: 'the winning rule asks'},
  rule_allow: {hard: false, about: 'the winning rule allows'},
  session_allow: {hard: false, about: 'the user allowed the same action for the session'},

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
    about: 'the command ran unasked because it only reads; it was refused a write, and nobody allowed that',
  },

  // Denial fallback and asking.
  denial_fallback: {hard: false, about: 'denied softly too often: a person is asked instead'},
  ask_unavailable: {hard: false, about: 'a person would have to be asked, and there is none'},
  answer_allow: {hard: false, about: 'the user said yes'},
  answer_deny: {hard: false, about: 'the user said no'},
  answer_timeout: {hard: false, about: 'the user did not answer in time: no'},
  cross_frame_allow: {hard: false, about: 'the user allowed the write into another frame'},
  cross_frame_deny: {hard: false, about: 'the user declined the write into another frame'},

  // No decision without a stage that takes responsibility for it.
  no_stage_decided: {hard: true, about: 'no stage decided: a bug in ion, so the answer is no'},
} as const satisfies Record<string, {readonly hard: boolean; readonly about: string}>;

export type Reason = keyof typeof reasons;

export function isHard(reason: Reason): boolean {
  return reasons[reason].hard;
}
