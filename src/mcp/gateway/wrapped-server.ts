import {existsSync, realpathSync} from 'node:fs';
import {exitCodes, IonError, isIonError} from '../../errors.ts';
import type {Denial} from '../../library/types.ts';
import {quoteArgv} from '../../session/command-text.ts';
import type {Host} from '../../session/host.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openSession, type Session} from '../../session/session.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Approvals} from '../server/approvals.ts';
import {warnOfIgnored} from '../server/warn-of-ignored.ts';
import {openDenials, type DenialRecords} from './call-denials.ts';
import type {ServerSpec} from './server-spec.ts';
import {expandVariables} from './expand-variables.ts';
import {openPins} from './pins.ts';
import {startServer, type ServerProcess} from './server-process.ts';
import {openGate, type ToolGate} from './tool-gate.ts';

/** The sessions of one server, and the state for deciding about its calls and explaining them. */
export interface WrappedServer {
  readonly server: string;
  readonly gate: ToolGate;
  readonly denials: DenialRecords;
  readonly passUnknown: boolean;
  start(): Promise<ServerProcess>;
  close(): void;
}

/** Throws an IonError for a wrong config. */
export async function openWrapped(
  caller: Host,
  flags: SessionFlags,
  spec: ServerSpec,
  approvals: Approvals,
): Promise<WrappedServer> {
  const {server, file} = spec;
  const host: Host = {...caller, asker: approvals.asker};
  const warn = (text: string): void => host.warn?.(`mcp: ${text}`);
  let own: SessionFlags = {
    ...flags,
    mcpServer: server,
    explain: true,
    showsTrust: file !== undefined,
    // The table of safe commands contains no server: in read mode only the kernel confines it.
    ...setting(flags, ...(flags.read ? ['permissions.read=kernel'] : [])),
  };
  // In read mode the kernel confines the server. ion decides about its calls as in any other mode.
  const openGateSession = (flags: SessionFlags): Promise<Session> =>
    openSession(host, {...flags, read: false, ...setting(flags, 'permissions.mode=write')});
  let session = await openGateSession(own);
  const ofProject = isOfProject(file, session);
  if (ofProject) {
    session.close();
    own = {...own, mcpServerOfProject: true};
    session = await openGateSession(own);
  }
  warnOfIgnored(session);
  const opened: Session[] = [session];
  const close = (): void => opened.splice(0).forEach((one) => one.close());
  try {
    const base = await openSession(host, ofProject ? own : withoutQuestion(own));
    opened.push(base);
    const {words, environment} = expandVariables(spec, base, ofProject);
    const runner = Object.keys(environment).length === 0 ? base : await base.withVariables(environment);
    if (runner !== base) opened.push(runner);
    const log = await openAuditLog(session, warn);
    const command = await quoteArgv(words);
    const denials = openDenials();
    let isFirst = true;
    return {
      server,
      gate: openGate({server, session, log, pins: openPins(host.home, server), warn}),
      denials,
      passUnknown: session.config.passUnknown,
      async start() {
        const onDenial = (one: Denial): void => denials.add(one);
        const process = await startServer({session: runner, command, log, isFirst, onDenial}).catch(
          asIonError,
        );
        isFirst = false;
        return process;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * A user who gives ion the server's command, on the command line or in an own file, wants it to run. So the approval row does not
 * ask about the command. It asks about the calls. Rules, deny_commands and a lock hold for the command too.
 */
function withoutQuestion(flags: SessionFlags): SessionFlags {
  return {...flags, ...setting(flags, 'permissions.approval=never')};
}

/** A project that is not trusted can write any command into its `.mcp.json`: the approval row decides about it as about any other. */
function isOfProject(file: string | undefined, {config}: Session): boolean {
  if (file === undefined || config.trust.state === 'trusted' || !existsSync(file)) return false;
  return isWithin(realpathSync(file), config.workspace);
}

/** Above every `--set` of the user: the last one is the highest. */
function setting({sets = []}: SessionFlags, ...more: readonly string[]): Pick<SessionFlags, 'sets'> {
  return {sets: [...sets, ...more]};
}

/** The refusal of the server's own command is an error of `ion mcp wrap`. */
function asIonError(error: unknown): never {
  if (isIonError(error) || !(error instanceof Error) || !('decision' in error)) throw error;
  const {message, help} = error as Error & {readonly help?: string};
  throw new IonError(message, {help, exitCode: exitCodes.denied, cause: error});
}
