/**
 * MCP server names are compared without case. `-`, `_`, `.` and blanks are equal: `GitHub-Server` is `github_server`.
 */
export function normalServer(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '_');
}

export function isServerName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name);
}
