import type {Action} from './decision.ts';

/**
 * Equal for equal (tool, key inputs). Not shortened and not hashed: two actions must never share one, and a map key
 * may be long. NUL can stand in neither a command nor a path.
 */
export function fingerprint({tool, command, paths, mcpServer}: Action): string {
  const parts = command
    ? [command.text.trim()]
    : paths.map(({resolved, access}) => `${access}:${resolved}`).toSorted();
  return [tool, mcpServer ?? '', ...parts].join('\0');
}
