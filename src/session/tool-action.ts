import type {ActionClass} from '../config/approval-table.ts';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {nearest} from '../system/nearest.ts';
import type {Action, ActionPath} from '../policy/decision.ts';
import {expandHome} from '../policy/paths/path-components.ts';
import {openLinks} from '../system/links.ts';

interface ToolRow {
  readonly class: ActionClass;
  /** Its access to the paths that it gets. Absent: the tool takes no paths. */
  readonly access?: ActionPath['access'];
}

/** Tools besides `bash`, as rules and allowed_tools name them. */
const tools: Readonly<Record<string, ToolRow>> = {
  read: {class: 'read', access: 'read'},
  ls: {class: 'read', access: 'read'},
  glob: {class: 'read', access: 'read'},
  grep: {class: 'read', access: 'read'},
  write: {class: 'edit', access: 'write'},
  edit: {class: 'edit', access: 'write'},
  delete: {class: 'delete', access: 'delete'},
  fetch: {class: 'network'},
};

const mcpTool = /^mcp:([^/]+)\/.+$/;

interface Places {
  readonly cwd: string;
  readonly home: string;
}

/** The action of a tool with its paths, to be decided on. Throws for an unknown tool, and for a path that leads nowhere. */
export function toolAction(tool: string, operands: readonly string[], places: Places): Action {
  const server = mcpTool.exec(tool)?.[1];
  const row: ToolRow | undefined =
    server === undefined ? (Object.hasOwn(tools, tool) ? tools[tool] : undefined) : {class: 'mcp'};
  if (!row) throw unknownTool(tool);
  const {access} = row;
  if (access === undefined ? operands.length > 0 : operands.length === 0) {
    throw new IonError(`the tool ${quoted(tool)} ${access ? 'needs a path' : 'takes no paths'}`, {
      help: access ? `ion check --tool ${tool} <path>` : `ion check --tool ${quoted(tool)}`,
    });
  }
  const paths = access ? operands.map((one) => pathOf(one, access, places)) : [];
  return {tool, class: row.class, paths, ...(server === undefined ? {} : {mcpServer: server})};
}

function unknownTool(tool: string): IonError {
  const close = nearest(tool, [...Object.keys(tools), 'bash']);
  return new IonError(`there is no tool ${quoted(tool)}`, {
    help: close
      ? `did you mean ${quoted(close)}?`
      : `bash, ${Object.keys(tools).join(', ')}, or mcp:<server>/<tool>`,
  });
}

/** A pattern stands for the folder that it starts from. */
export function folderOfPattern(pattern: string, home: string): string {
  return expandHome(pattern, home).replace(/(?:^|\/)[^/]*[*?[{].*$/, '') || '.';
}

function pathOf(requested: string, access: ActionPath['access'], {cwd, home}: Places): ActionPath {
  const text = expandHome(requested, home);
  // Not normalised: `link/..` is relative to the link's target.
  const resolved = openLinks()(path.isAbsolute(text) ? text : `${cwd}/${text}`);
  if (resolved === undefined) throw new IonError(`ion cannot tell where ${quoted(requested)} leads`);
  return {requested, resolved, access};
}
