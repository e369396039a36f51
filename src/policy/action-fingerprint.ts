import type {Action, PermissionState} from './decision.ts';

/** More segments than this do not make a command a different one. */
const maxSegments = 20;

/** The key of soft denials: equal for equal tool, program, first operand and workspace. None of them contains NUL. */
export function fingerprint({tool, command, paths, mcpServer}: Action, workspace: string): string {
  const parts = command
    ? command.analysis.segments
        .slice(0, maxSegments)
        .flatMap(({argv: [program, ...words]}) => [
          program?.text ?? '',
          words.find(({text}) => !text.startsWith('-'))?.text ?? '',
        ])
    : paths.map(({resolved, access}) => `${access}:${resolved}`).toSorted();
  return [tool, mcpServer ?? '', workspace, ...parts].join('\0');
}

/**
 * The key of an answer for the session: equal for the same tool and inputs, in the same folder, under the same boundary. The key
 * is neither shortened nor hashed, because two actions must never share one.
 */
export function grantKey(
  {tool, command, paths, mcpServer}: Action,
  {cwd, boundary = ''}: Pick<PermissionState, 'cwd' | 'boundary'>,
): string {
  const parts = command
    ? [command.text.trim()]
    : paths.map(({resolved, access}) => `${access}:${resolved}`).toSorted();
  return [tool, mcpServer ?? '', cwd, boundary, ...parts].join('\0');
}
