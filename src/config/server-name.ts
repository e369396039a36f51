/**
 * MCP server names are compared without case. `-`, `_`, `.` and blanks are equal: `GitHub-Server` is `github_server`.
 */
export function normalServer(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '_');
}
