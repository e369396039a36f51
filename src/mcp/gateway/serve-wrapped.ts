import {exitCodes, IonError, isIonError} from '../../errors.ts';
import type {Host} from '../../session/host.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openSession, type Session} from '../../session/session.ts';
import type {Denial} from '../../library/types.ts';
import {warnOfIgnored} from '../server/warn-of-ignored.ts';
import {openApprovals} from '../server/approvals.ts';
import {openDenials} from './call-denials.ts';
import {runGateway} from './gateway.ts';
import {openPins} from './pins.ts';
import {startServer} from './server-process.ts';
import {openGate} from './tool-gate.ts';

export interface Wrapped {
  /** Its name in rules and in `[mcp.<name>]`. */
  readonly server: string;
  /** In bash's language. */
  readonly command: string;
  /** Added to the variables of the host. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `ion mcp wrap`: one server in the sandbox, between the host's streams. Returns the exit code. */
export async function serveWrapped(
  caller: Host,
  flags: SessionFlags,
  {server, command, environment}: Wrapped,
  ended: AbortSignal,
): Promise<number> {
  const approvals = openApprovals();
  const host: Host = {
    ...caller,
    environment: {...caller.environment, ...environment},
    asker: approvals.asker,
  };
  const own: SessionFlags = {
    ...flags,
    mcpServer: server,
    explain: true,
    // The table of safe commands has no server: in read mode the kernel alone holds it.
    ...setting(flags, ...(flags.read ? ['permissions.read=kernel'] : [])),
  };
  // In read mode the kernel holds the server. Its calls are decided as others are.
  const session = await openSession(host, {...own, read: false, ...setting(own, 'permissions.mode=write')});
  warnOfIgnored(session);
  const warn = (text: string): void => host.warn?.(`mcp: ${text}`);
  let started: Session | undefined;
  try {
    started = await openSession(host, withoutQuestion(own));
    const runner = started;
    const log = await openAuditLog(session, warn);
    const denials = openDenials();
    let isFirst = true;
    return await runGateway({
      server,
      gate: openGate({server, session, log, pins: openPins(host.home, server), warn}),
      denials,
      approvals,
      async start() {
        const input = {session: runner, command, log, isFirst, onDenial: (one: Denial) => denials.add(one)};
        const process = await startServer(input).catch(asIonError);
        isFirst = false;
        return process;
      },
      client: {input: process.stdin, output: process.stdout},
      passUnknown: session.config.passUnknown,
      warn,
      ended,
    });
  } finally {
    started?.close();
    session.close();
  }
}

/**
 * The user has written the server's command into the host's configuration: the approval row does not ask about it again. It
 * asks about the calls. Rules, deny_commands and a lock hold for the command too.
 */
function withoutQuestion(flags: SessionFlags): SessionFlags {
  return {...flags, ...setting(flags, 'permissions.approval=never')};
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
