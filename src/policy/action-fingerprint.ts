import type {Action, PermissionState} from './decision.ts';

/** A command of very many parts is one of its kind all the same. */
const maxSegments = 20;

/** Equal for equal (tool, program, first operand, workspace): what soft denials are counted by. NUL stands in none of them. */
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
 * Equal for equal (tool, key inputs), in the same folder and under the same boundary: what an answer for the session is about. Not
 * shortened and not hashed: two actions must never share one.
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
