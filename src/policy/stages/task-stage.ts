import {quoted} from '../../errors.ts';
import {firstDenied} from '../../shell/match/deny.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import type {Origin} from '../../config/settings.ts';
import {nothing, ref, type Stage} from './stage.ts';

const caller: Origin = {layer: 'flag'};

/** Stage 1: what this run, or the program that embeds ion, denied for the current task. */
export const taskRestrictions: Stage = {
  name: 'task_restrictions',
  look(action, {taskRestrictions: {tools, commands}}) {
    const tool = tools.find((pattern) => matchGlob(pattern, action.tool));
    if (tool !== undefined) {
      return {
        saw: [`tool ${quoted(tool)} is denied`],
        verdict: {
          effect: 'deny',
          reason: 'task_tool_denied',
          message: `denied: the tool ${quoted(action.tool)} is not available in this run`,
          ruleRefs: [ref('task_restrictions', tool, caller)],
          scope: action.tool,
        },
      };
    }
    if (commands.length === 0 || !action.command) return nothing;
    const match = firstDenied(commands, action.command.analysis);
    if (!match) return {saw: [`${commands.length} denied commands, none matches`]};
    return {
      saw: [`${quoted(match.segment.raw)} matches ${quoted(match.pattern)}`],
      verdict: {
        effect: 'deny',
        reason: 'task_command_denied',
        message: `denied: ${quoted(match.segment.raw)} matches ${quoted(match.pattern)}, which this run denies`,
        ruleRefs: [ref('task_restrictions', match.pattern, caller)],
        scope: match.segment.raw,
        span: match.segment.span,
      },
    };
  },
};
