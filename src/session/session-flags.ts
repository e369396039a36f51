import type {GivenConfig} from '../config/read/layers.ts';
import type {resolveConfig} from '../config/read/resolve.ts';
import {hasControllingTerminal} from '../system/controlling-terminal.ts';
import {outerConfigFile} from '../sandbox/linux/inside-run.ts';
import type {RerunGrant} from './ask/rerun.ts';
import type {Host} from './host.ts';
import type {Audience} from './report/audience.ts';
import type {ScriptFile} from './script-root.ts';

/**
 * The purpose of a session: one command (`run`), only decisions (`preview`: nothing is started or created), the hooks of an
 * agent's event (`hooks`), many commands (`serve`), or many commands in another program's process (`library`).
 */
export type Purpose = 'run' | 'preview' | 'hooks' | 'serve' | 'library';

export interface SessionFlags {
  readonly for: Purpose;
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
  readonly configFile?: string | GivenConfig;
  /** `--set`. */
  readonly sets?: readonly string[];
  /** Like `sets`, but as tables. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** False: only `settings` and the machine's config are used. */
  readonly layers?: boolean;
  /** Report every execution (`--events`). */
  readonly reportsExecs?: boolean;
  /** The file that events are appended to, canonical. The command cannot change it. */
  readonly eventsFile?: string | undefined;
  /** Report refused reads too. */
  readonly explain?: boolean;
  /** No file of the workspace, of temp folders and write roots can execute, whatever the mode. */
  readonly closesWorkspace?: boolean;
  /** The session runs only a program of ion: deny_commands and rules for commands do not concern it. */
  readonly ownProgram?: boolean;
  /** The MCP server that the session runs: its sections of the config count. */
  readonly mcpServer?: string;
  /** See ConfigRequest. */
  readonly mcpServerOfProject?: boolean;
  /** See ConfigRequest. */
  readonly showsTrust?: boolean;
  /** Only for `run`: the command. */
  readonly command?: string;
  /** Started by ion-sh or ion-exec, whose callers pass variables that a project chose. */
  readonly front?: boolean;
  /** The script that ion-sh was called with. */
  readonly script?: ScriptFile;
  /** The reader of the advice. */
  readonly audience?: Audience;
  /** How long a question waits for its answer. Absent: two minutes, and one for a name of the network. */
  readonly askTimeoutMs?: number;
  /** The user's grant to one re-run. */
  readonly grant?: RerunGrant;
  /** True if the user has approved the network for the command. Only some approval modes ask for this. */
  readonly networkApproved?: boolean;
}

/** The inputs of the config. */
export function configRequest(
  host: Host,
  flags: SessionFlags,
  repositoryTop: string | undefined,
): Parameters<typeof resolveConfig>[0] {
  return {
    cwd: host.cwd,
    home: host.home,
    otherHomes: host.otherHomes,
    machineConfig: host.machineConfig,
    outerConfig: () => outerConfigFile(host.packageRoot),
    env: host.environment,
    uid: host.uid,
    flags: {
      ...(flags.read ? {read: true} : {}),
      ...(flags.noSandbox ? {noSandbox: true} : {}),
      ...(flags.timeoutMs === undefined ? {} : {timeoutMs: flags.timeoutMs}),
    },
    ...(flags.configFile === undefined ? {} : {configFile: flags.configFile}),
    ...(flags.sets === undefined ? {} : {sets: flags.sets}),
    ...(flags.settings === undefined ? {} : {settings: flags.settings}),
    ...(flags.layers === undefined ? {} : {layers: flags.layers}),
    ...(flags.showsTrust ? {showsTrust: true} : {}),
    ...(flags.mcpServer === undefined ? {} : {mcpServer: flags.mcpServer}),
    ...(flags.mcpServerOfProject ? {mcpServerOfProject: true} : {}),
    ...(flags.for === 'run' && !flags.front ? {runs: runsWhere(host)} : {}),
    repositoryTop,
  };
}

/** Looked up only if ION_TRUST_PROJECT is set. */
function runsWhere({environment}: Host): 'headless' | 'at a terminal' {
  return environment['ION_TRUST_PROJECT'] && hasControllingTerminal() ? 'at a terminal' : 'headless';
}
