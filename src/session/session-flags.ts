import type {resolveConfig} from '../config/read/resolve.ts';
import {hasControllingTerminal} from '../system/controlling-terminal.ts';
import type {RerunGrant} from './ask/rerun.ts';
import type {Host} from './host.ts';
import type {Audience} from './report/audience.ts';

/**
 * What a session is opened for: one command (`run`), decisions alone (`preview`: nothing is started or made), the hooks of an agent's
 * event (`hooks`), many commands (`serve`), or many in a process that is not ion's own (`library`).
 */
export type Purpose = 'run' | 'preview' | 'hooks' | 'serve' | 'library';

export interface SessionFlags {
  readonly for: Purpose;
  readonly read?: boolean;
  readonly noSandbox?: boolean;
  readonly timeoutMs?: number;
  readonly configFile?: string;
  /** `--set`. */
  readonly sets?: readonly string[];
  /** The same as tables. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** With false, only `settings` and the machine's config count. */
  readonly layers?: boolean;
  /** Report every execution (`--events`). */
  readonly tellExecs?: boolean;
  /** A file that events are appended to, canonical: out of the command's reach. */
  readonly eventsFile?: string | undefined;
  /** Report refused reads too. */
  readonly explain?: boolean;
  /** No file of the workspace, of temp folders and write roots executes, whatever the mode. */
  readonly closesWorkspace?: boolean;
  /** ConfigRequest's. */
  readonly showsTrust?: boolean;
  /** Of `run`: the command. */
  readonly command?: string;
  /** Who reads the advice. */
  readonly audience?: Audience;
  /** What a person has granted to one re-run. */
  readonly grant?: RerunGrant;
  /** The command was approved for the network, in a row that asks for it. */
  readonly networkApproved?: boolean;
}

/** What the config is resolved from. */
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
    ...(flags.for === 'run' ? {runs: runsWhere(host)} : {}),
    repositoryTop,
  };
}

/** Looked at only where something depends on it. */
function runsWhere({environment}: Host): 'headless' | 'at a terminal' {
  return environment['ION_TRUST_PROJECT'] && hasControllingTerminal() ? 'at a terminal' : 'headless';
}
