import {settingForms} from '../../config/set-option.ts';
import {quoted} from '../../errors.ts';
import {safeContext} from '../safe-context.ts';
import type {Origin, Sourced} from '../../config/settings.ts';
import {checkSafe} from '../../shell/read-mode/safe.ts';
import type {Action, PermissionState} from '../decision.ts';
import {isWithin} from '../../system/is-within.ts';
import {absolutePath} from '../../shell/paths.ts';
import {namedPaths} from '../paths/named-paths.ts';
import {expandHome} from '../paths/path-components.ts';
import {ref, subject, type Finding, type Stage} from './stage.ts';

/** Stage 3: what the mode and the frames let an action do. */
export const capabilities: Stage = {
  name: 'capabilities',
  look(action, state) {
    const gate = readMode(action, state);
    return gate.verdict ? gate : frames(action, state, gate.saw);
  },
};

function readMode(action: Action, state: PermissionState): Finding {
  const {mode} = state.settings;
  if (mode.value === 'write') return {saw: ['mode = write']};
  if (!action.command) {
    return action.class === 'read'
      ? {saw: ['mode = read: the tool only reads']}
      : readDenial('read_mode_tool', `${quoted(action.tool)} changes things`, action, mode.origin);
  }
  if (state.settings.read.value === 'kernel')
    return {saw: ['mode = read, read = kernel: any program may run, nothing is writable']};
  const verdict = checkSafe(action.command.analysis, {
    // Read mode's PATH has no relative folders (session/command-environment.ts), so `cd` does not change
    // what a program name means.
    absoluteSearchPath: true,
    ...safeContext(action.command, state),
  });
  if (verdict.safe) return {saw: ['mode = read: every segment is in the safe table']};
  return readDenial('read_mode_command', verdict.why, action, mode.origin, verdict.span);
}

function readDenial(
  reason: 'read_mode_tool' | 'read_mode_command',
  why: string,
  action: Action,
  origin: Origin,
  span?: {start: number; end: number},
): Finding {
  const scope = span ? (action.command?.text.slice(span.start, span.end) ?? action.tool) : action.tool;
  const named = scope === action.command?.text.trim() || why.includes(scope);
  const piece = span && !named ? `${quoted(scope)}: ` : '';
  return {
    saw: [`mode = read: ${why}`],
    verdict: {
      effect: 'deny',
      reason,
      message: `denied: ${subject(action)} in read mode: ${piece}${why}`,
      help:
        origin.layer === 'flag'
          ? 'drop --read to run it in write mode'
          : settingForms('permissions.mode', 'write', origin),
      ruleRefs: [ref('mode', 'read', origin)],
      scope,
      ...(span ? {span} : {}),
    },
  };
}

/** A write into a frame other than the active one always asks. There is no silent allow. */
function frames(action: Action, state: PermissionState, saw: readonly string[]): Finding {
  const named = Object.keys(state.settings.frames);
  if (named.length === 0 || state.settings.sandbox.value === false) return {saw};
  const active = activeFrame(state);
  for (const {path, requested} of writtenPaths(action, state)) {
    const frame = frameOf(path, state);
    if (!frame || frame.name === active?.name) continue;
    return {
      saw: [
        ...saw,
        `${quoted(requested)} is in frame ${quoted(frame.name)}, active: ${active?.name ?? 'none'}`,
      ],
      verdict: {
        effect: 'ask',
        reason: 'cross_frame',
        message: `${quoted(requested)} is in the frame ${quoted(frame.name)}, which is not active`,
        help: settingForms('permissions.frame', frame.name, state.settings.frame.origin),
        ruleRefs: [ref('frames', `${frame.name} = ${frame.folder.value}`, frame.folder.origin)],
        scope: requested,
      },
    };
  }
  return {saw: [...saw, `active frame: ${active?.name ?? 'none'}`]};
}

/** For a command, only the targets of its redirections. The boundary refuses what its programs write. */
function writtenPaths({paths, command}: Action, state: PermissionState): {path: string; requested: string}[] {
  const redirected = command?.analysis.constructs.has('redirection')
    ? (namedPaths(command.analysis, state) ?? [])
    : [];
  return [
    ...paths.map(({resolved, requested, access}) => ({path: resolved, requested, access})),
    // Both the link and its target, because each may be in a frame.
    ...redirected.flatMap(({path, real = path, requested, access}) =>
      (real === path ? [path] : [path, real]).map((one) => ({path: one, requested, access})),
    ),
  ].filter(({access}) => access !== 'read');
}

/** The facts that frames depend on. */
export type FrameInput = Pick<PermissionState, 'settings' | 'cwd' | 'home' | 'workspace'>;

interface Frame {
  readonly name: string;
  readonly folder: Sourced<string>;
  readonly path: string;
}

/** The innermost frame that contains a path, by whole components. */
export function frameOf(path: string, {settings, home, workspace}: FrameInput): Frame | undefined {
  let innermost: Frame | undefined;
  for (const [name, folder] of Object.entries(settings.frames)) {
    const root = absolutePath(expandHome(folder.value, home), workspace);
    if (isWithin(path, root) && root.length > (innermost?.path.length ?? -1))
      innermost = {name, folder, path: root};
  }
  return innermost;
}

/** The absolute folder of a frame. */
export function framePath(name: string, {settings, home, workspace}: FrameInput): string {
  return absolutePath(expandHome(settings.frames[name]?.value ?? '', home), workspace);
}

/** The frame that config names, else the one that contains cwd. */
export function activeFrame(state: FrameInput): Frame | undefined {
  const name = state.settings.frame.value;
  if (name === '') return frameOf(state.cwd, state);
  const folder = state.settings.frames[name];
  return folder && {name, folder, path: absolutePath(expandHome(folder.value, state.home), state.workspace)};
}
