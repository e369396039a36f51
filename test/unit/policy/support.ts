import {analyze} from '../../../src/shell/parse/analyze.ts';
import type {Origin, Rule, Settings, Sourced} from '../../../src/config/settings.ts';
import type {ActionClass} from '../../../src/config/approval-table.ts';
import type {Action, ActionPath, PermissionState} from '../../../src/policy/decision.ts';

export const byDefault: Origin = {layer: 'default'};
export const inUserFile = (line: number): Origin => ({layer: 'user', file: '~/.ion/config.toml', line});

export function sourced<T>(value: T, origin: Origin = byDefault): Sourced<T> {
  return {value, origin};
}

/** A list as in the user's file, one entry per line from line 10. */
export function listed(...values: readonly string[]): Sourced<string>[] {
  return values.map((value, index) => sourced(value, inUserFile(10 + index)));
}

export const defaults: Settings = {
  mode: sourced('write'),
  read: sourced('table'),
  sandbox: sourced(true),
  denyCommands: [],
  approval: sourced('never'),
  deniedPaths: [sourced('/home/u/.ssh'), sourced('/home/u/.aws')],
  trustedPaths: [],
  allowedTools: [],
  autoApprovePatterns: [],
  frame: sourced(''),
  rules: [],
  readRoots: [],
  writeRoots: [],
  protect: [],
  unprotect: [],
  workspace: sourced('folder'),
  processes: sourced('own'),
  tmp: sourced('shared'),
  network: sourced('none'),
  unixSockets: [],
  toolchains: sourced('auto'),
  report: sourced('denials'),
  limits: {},
  environment: {exclude: [], keep: [], set: {}},
  auditMode: sourced('best-effort'),
  hooks: [],
  frames: {},
};

const base: PermissionState = {
  settings: defaults,
  cwd: '/home/u/ws',
  home: '/home/u',
  workspace: '/home/u/ws',
  workspaceTrusted: false,
  interactive: false,
  taskRestrictions: {tools: [], commands: []},
  systemProgramFolders: ['/usr/bin'],
  execChecked: true,
};

export function stateWith(settings: Partial<Settings>, more: Partial<PermissionState> = {}): PermissionState {
  return {...base, ...more, settings: {...defaults, ...settings}};
}

export function bash(text: string, paths: readonly ActionPath[] = []): Action {
  const analysis = analyze(text);
  const names = new Set(analysis.segments.map(({argv}) => argv[0]?.text ?? ''));
  const programs = new Map([...names].map((name) => [name, name.includes('/') ? name : `/usr/bin/${name}`]));
  return {tool: 'bash', class: 'shell', command: {text, analysis, programs}, paths};
}

export function tool(name: string, cls: ActionClass, ...paths: readonly ActionPath[]): Action {
  return {tool: name, class: cls, paths};
}

export function at(path: string, access: ActionPath['access'] = 'read', resolved = path): ActionPath {
  return {requested: path, resolved, access};
}

export function mcp(server: string, name: string, cls: ActionClass = 'mcp'): Action {
  return {tool: `mcp:${server}/${name}`, class: cls, paths: [], mcpServer: server};
}

export function rule(
  effect: Rule['effect'],
  scope: Rule['scope'],
  match: string,
  more: Partial<Rule> = {},
): Rule {
  return {effect, scope, match, source: 'user', origin: inUserFile(20), trusted: true, ...more};
}
