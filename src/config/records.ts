import {isProject, missing, originOf, refusal, shaped, within, type Raw} from './raw.ts';
import {list, record, shapeOf} from './parsers.ts';
import {plainPath} from './path-values.ts';
import {durationMs, flag, oneOf, pattern, text, toolRegex} from './scalars.ts';
import type {Hook, Rule, RuleSource} from './settings.ts';

/** The tables `[[permissions.rules]]` and `[[hooks]]`. */

const ruleFields = record(
  {
    effect: oneOf('allow', 'ask', 'deny'),
    scope: oneOf('tool', 'path', 'command_prefix', 'mcp_server'),
    match: pattern,
    tool: pattern,
    reason: text,
  },
  ['effect', 'scope', 'match'],
);

const rule = shaped(shapeOf(ruleFields), (raw): Rule => {
  const fields = ruleFields(raw);
  if (fields.tool !== undefined && fields.scope !== 'path') {
    throw refusal(within(raw, 'tool', fields.tool), 'works only with scope = "path"');
  }
  // A path rule is a prefix, made absolute like every path.
  const match = fields.scope === 'path' ? plainPath(within(raw, 'match', fields.match)) : fields.match;
  const source = sourceOf(raw);
  return Object.assign(fields, {match, source, origin: originOf(raw), trusted: true} as const);
});

function sourceOf({source}: Raw): RuleSource {
  if (isProject(source)) return 'manifest';
  return source.kind === 'grants' ? 'workspace' : 'user';
}

export const rules = list(rule);

const hookFields = record(
  {
    event: oneOf('PreToolUse', 'PostToolUse', 'SessionStart', 'Stop', 'PreCompact'),
    match: toolRegex,
    command: text,
    timeout: durationMs,
    sandbox: flag,
  },
  ['event', 'command'],
);

const hook = shaped(shapeOf(hookFields), (raw): Hook => {
  const {event, command, match, timeout, sandbox = true} = hookFields(raw);
  if (command.trim() === '') throw missing(raw, 'command');
  if (!sandbox && isProject(raw.source)) {
    throw refusal(
      within(raw, 'sandbox', false),
      'must be true in a project',
      'only ~/.ion/config.toml may set it to false',
    );
  }
  return {
    event,
    command,
    sandbox,
    origin: originOf(raw),
    ...(match ? {match} : {}),
    ...(timeout === undefined ? {} : {timeoutMs: timeout}),
  };
});

export const hooks = list(hook);
