import {quoted} from '../../errors.ts';
import type {Sourced} from '../../config/settings.ts';
import {matchDenied, type DenyMatch} from '../../shell/match/deny.ts';
import {guardrail} from '../../shell/dangerous/machine-guardrails.ts';
import type {Action, PermissionState} from '../decision.ts';
import {
  deniedPaths,
  findDenied,
  holdsDenied,
  howToOpen,
  patternMayReach,
  type DeniedPath,
} from '../paths/denied-paths.ts';
import {namedPaths, type NamedPath} from '../paths/named-paths.ts';
import {isWithin} from '../../system/is-within.ts';
import {absolutePath} from '../../shell/paths.ts';
import {expandHome} from '../paths/path-components.ts';
import {whatIsUnclear} from '../unclear.ts';
import {builtin, nothing, ref, subject, type Finding, type Stage} from './stage.ts';

/** Stage 2: what no mode, rule, grant or answer can allow. */
export const guardrails: Stage = {
  name: 'guardrails',
  look(action, state) {
    const saw: string[] = [];
    const notes: string[] = [];
    for (const check of [machine, configuredPaths, fileToolsInEtc, configuredCommands]) {
      const finding = check(action, state);
      saw.push(...finding.saw);
      notes.push(...(finding.notes ?? []));
      if (finding.verdict) return {saw, notes, verdict: finding.verdict};
    }
    return {saw, notes};
  },
};

/** `rm -rf /`, mkfs, dd to a device, fork bombs: refused in every mode, `--no-sandbox` included. */
function machine({command}: Action, {cwd, home, workspace}: PermissionState): Finding {
  if (!command) return nothing;
  const hit = guardrail(command.analysis, {cwd, home, workspace});
  if (!hit) return {saw: ['no guardrail matches']};
  return {
    saw: [`${quoted(hit.segment.raw)} matches the guardrail ${hit.name}: ${hit.why}`],
    verdict: {
      effect: 'deny',
      reason: 'guardrail',
      message: `denied: ${quoted(hit.segment.raw)}: ${hit.why}`,
      help: hit.help ?? 'guardrails apply in every mode; run it outside ion if you mean it',
      ruleRefs: [ref('guardrails', hit.name, builtin)],
      scope: hit.segment.raw,
      span: hit.span,
    },
  };
}

/** denied_paths, in any spelling of the path. Off without the sandbox, like every path check. */
function configuredPaths(action: Action, state: PermissionState): Finding {
  const list = state.settings.deniedPaths;
  if (list.length === 0) return nothing;
  if (state.settings.sandbox.value === false) return {saw: ['sandbox = false: paths are not checked']};
  const none = {saw: [`${list.length} denied paths, the command names none of them`]};
  const real = state.openLinks?.();
  const {command} = action;
  const named = command ? namedPaths(command.analysis, real ? {...state, openLinks: () => real} : state) : [];
  if (command && !named) return tooComplex(command.text);
  // Links of the entries are resolved only when there is a path to compare them with.
  if (!named?.length && action.paths.length === 0) return none;
  const denied = deniedPaths(list, real);
  return deniedActionPath(action, state, denied) ?? deniedNamedPath(named ?? [], state, denied) ?? none;
}

function deniedActionPath(
  action: Action,
  state: PermissionState,
  denied: readonly DeniedPath[],
): Finding | undefined {
  for (const {requested, resolved, access} of action.paths) {
    const spellings = [resolved, absolutePath(expandHome(requested, state.home), state.cwd)];
    for (const spelling of spellings) {
      const hit =
        findDenied(spelling, denied, state.matchesPath) ??
        (access === 'delete' ? holdsDenied(spelling, denied) : undefined);
      if (hit) return pathDenial(requested, hit);
    }
  }
  return undefined;
}

function deniedNamedPath(
  named: readonly NamedPath[],
  state: PermissionState,
  denied: readonly DeniedPath[],
): Finding | undefined {
  for (const {requested, path, real = path, pattern, span} of named) {
    for (const spelling of real === path ? [path] : [path, real]) {
      const hit = pattern
        ? denied.find((entry) => patternMayReach(spelling, entry))
        : findDenied(spelling, denied, state.matchesPath);
      if (hit) return pathDenial(requested, hit, span);
    }
  }
  return undefined;
}

function pathDenial(requested: string, {entry}: DeniedPath, span?: {start: number; end: number}): Finding {
  return {
    saw: [`${quoted(requested)} is in denied_paths ${quoted(entry.value)}`],
    verdict: {
      effect: 'deny',
      reason: 'denied_path',
      message: `denied: ${quoted(requested)} is in denied_paths ${quoted(entry.value)}`,
      help: howToOpen(entry.origin),
      ruleRefs: [ref('denied_paths', entry.value, entry.origin)],
      scope: requested,
      ...(span ? {span} : {}),
    },
  };
}

function tooComplex(text: string): Finding {
  return {
    saw: ['too many words and folders to check against denied_paths'],
    verdict: {
      effect: 'deny',
      reason: 'denied_path',
      message: `denied: ${quoted(text)} is too long to be checked against denied_paths`,
      help: 'put the commands into a script and run the script',
      ruleRefs: [],
      scope: text.slice(0, 200),
    },
  };
}

const fileTools = new Set(['read', 'write', 'edit', 'glob', 'grep', 'ls']);

/** A command may read /etc, because a shell cannot start without it. A file tool does not need it. */
function fileToolsInEtc({tool, paths}: Action, {settings}: PermissionState): Finding {
  if (!fileTools.has(tool) || settings.sandbox.value === false) return nothing;
  const hit = paths.find(({resolved, requested}) =>
    [resolved, requested].some((path) => isWithin(path, '/etc') || isWithin(path, '/private/etc')),
  );
  if (!hit) return nothing;
  return {
    saw: [`${quoted(hit.requested)} is below /etc`],
    verdict: {
      effect: 'deny',
      reason: 'file_tool_etc',
      message: `denied: ${quoted(hit.requested)} is below /etc, where file tools do not work`,
      ruleRefs: [ref('denied_paths', '/etc', builtin)],
      scope: hit.requested,
    },
  };
}

/** deny_commands: one matching segment blocks the whole command before anything runs. */
function configuredCommands(action: Action, {settings, execChecked}: PermissionState): Finding {
  const {denyCommands} = settings;
  if (denyCommands.length === 0 || !action.command) return nothing;
  const {analysis} = action.command;
  const patterns = denyCommands.map(({value}) => value);
  const matches = matchDenied(patterns, analysis);
  const [first] = matches;
  if (first) return commandDenial(first, matches, denyCommands);
  const saw = [`${denyCommands.length} deny_commands, none matches`];
  const unclear = whatIsUnclear(analysis, patterns);
  if (unclear === undefined) return {saw};
  if (execChecked) return {saw, notes: [`${unclear}: deny_commands are checked again at exec`]};
  return {
    saw: [...saw, unclear],
    verdict: {
      effect: 'deny',
      reason: 'deny_command_unclear',
      message: `denied: ${subject(action)} can't be checked against deny_commands: ${unclear}`,
      help: 'write the command out in full: executions cannot be checked here',
      ruleRefs: denyCommands.slice(0, 1).map(({value, origin}) => ref('deny_commands', value, origin)),
      scope: action.command.text.slice(0, 200),
    },
  };
}

function commandDenial(
  {segment, pattern}: DenyMatch,
  matches: readonly DenyMatch[],
  entries: readonly Sourced<string>[],
): Finding {
  return {
    saw: matches.map(
      (match) =>
        `${quoted(match.segment.raw)} matches deny_commands ${quoted(match.pattern)} (${match.form})`,
    ),
    verdict: {
      effect: 'deny',
      reason: 'deny_command',
      message: `denied: ${quoted(segment.raw)} matches deny_commands ${quoted(pattern)}`,
      help: '"ion check" with this command shows every rule that matched',
      ruleRefs: matches.map(({pattern: value, index}) =>
        ref('deny_commands', value, entries[index]?.origin ?? builtin),
      ),
      scope: segment.raw,
      span: segment.span,
    },
  };
}
