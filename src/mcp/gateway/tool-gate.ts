import type {ActionRecord} from '../../audit/events.ts';
import type {AuditLog} from '../../audit/log.ts';
import {exitCodes, quoted, renderMessage} from '../../errors.ts';
import type {Denial} from '../../library/types.ts';
import {finishedRecord, openRecorder} from '../../session/recorder.ts';
import {adviceTo} from '../../session/report/audience.ts';
import {recordStart} from '../../session/run-record.ts';
import type {Session} from '../../session/session.ts';
import {monotonicMs} from '../../system/clock.ts';
import type {Params} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {isTable} from '../wire/message.ts';
import type {Pins} from './pins.ts';
import {warnOnce} from './warn-once.ts';
import {acceptCommand, withheldDecision, withheldReasons, type Withheld} from './withheld.ts';

declare const ION_VERSION: string;

/** A call of a tool that was allowed. `end` records how it ended. */
export interface AllowedCall {
  end(failed: boolean, denials: readonly Denial[]): void;
}

export interface RefusedCall {
  /** The message for the program that called. */
  readonly text: string;
  readonly reason: string;
  readonly denialId: string;
}

/** Decides which tools of a server are listed and called. */
export interface ToolGate {
  /** The tools that may be listed, of those that the server lists. `isWhole`: these are all of them, not a page. */
  listed(tools: readonly Json[], canAsk: boolean, isWhole: boolean): Promise<Json[]>;
  /** False: its definition was not seen, or is withheld. The user may have accepted it since the latest list. */
  isOpen(name: string): boolean;
  call(name: string, input: Params): Promise<AllowedCall | RefusedCall>;
  /** Whether a rule denies everything of this server. */
  deniesServer(): Promise<boolean>;
}

interface GateInput {
  readonly server: string;
  readonly session: Session;
  readonly log: AuditLog | undefined;
  readonly pins: Pins;
  readonly warn: (text: string) => void;
}

const validName = /^[\w.\-/]{1,128}$/;
/** A changed definition is kept in a file of the user. */
const definitionBytes = 100 * 1024;

export function openGate({server, session, log, pins, warn}: GateInput): ToolGate {
  const known = new Map<string, 'open' | Withheld>();
  const reportOnce = warnOnce(warn);
  const toolOf = (name: string): string => `mcp:${server}/${name}`;
  const mayList = async (name: string, canAsk: boolean): Promise<boolean> => {
    const {decision} = await session.previewTool(toolOf(name), []);
    return decision.effect === 'allow' || (canAsk && decision.effect !== 'deny');
  };
  return {
    isOpen: (name) => known.get(name) === 'open',
    async listed(tools, canAsk, isWhole) {
      pins.refresh();
      const kept: Json[] = [];
      const seen = new Set<string>();
      for (const tool of tools) {
        const checked = checkTool(tool, seen);
        if ('problem' in checked) {
          // Not as it was accepted: a call would reach the other definition.
          if (checked.isOther) known.set(checked.isOther, 'changed');
          reportOnce(`withheld a tool of ${quoted(server)}: ${checked.problem}`);
          continue;
        }
        const {name, definition} = checked;
        const state = pins.look(name, definition);
        if (state === 'accepted' || state === 'first') {
          known.set(name, 'open');
          if (await mayList(name, canAsk)) kept.push(tool);
          continue;
        }
        known.set(name, state);
        const command = acceptCommand(server, name, state);
        const next = command === undefined ? '' : `. To see and accept it: ${command}`;
        reportOnce(
          `withheld the tool ${quoted(name)} of ${quoted(server)}: ${withheldReasons[state]}${next}`,
        );
      }
      pins.save(isWhole ? seen : undefined);
      return kept;
    },
    async call(name, input) {
      const recorder = openRecorder(log, undefined);
      const startedAt = monotonicMs();
      const tool = toolOf(name);
      const action: ActionRecord = {tool, class: 'mcp', command: null, paths: [], mcp_server: server};
      recordStart(recorder, session, action, ION_VERSION);
      const finish = (code: number, denial: string | undefined, refs: readonly string[]): void => {
        recorder.emit(
          'run.finished',
          finishedRecord({interrupted: undefined, code, startedAt, violationRefs: refs, denial}),
        );
        recorder.flush();
      };
      const refuse = (message: string, reason: string, help: string | undefined): RefusedCall => {
        const denialId = recorder.newRefusalId();
        finish(exitCodes.denied, denialId, []);
        return {
          text: renderMessage({text: message, help: adviceTo('program', help, denialId)}),
          reason,
          denialId,
        };
      };
      const state = known.get(name);
      if (state !== 'open') {
        const decision = withheldDecision(server, name, state);
        recorder.emit('permission.evaluated', {...decision, action, duration_us: null});
        return refuse(decision.message, decision.decision_reason, decision.help ?? undefined);
      }
      try {
        const {decision} = await session.decideTool({tool, operands: [], input}, recorder.emit);
        if (decision.effect !== 'allow')
          return refuse(decision.message, decision.reason, decision.help ?? 'allow it');
      } catch (error) {
        finish(exitCodes.failed, undefined, []);
        throw error;
      }
      return {
        end: (failed, denials) =>
          finish(
            failed ? 1 : 0,
            undefined,
            denials.map((one) => one.violation_id),
          ),
      };
    },
    async deniesServer() {
      const {decision} = await session.previewTool(toolOf('*'), []);
      return decision.effect === 'deny' && decision.reason !== 'ask_unavailable';
    },
  };
}

interface NamedTool {
  readonly name: string;
  readonly definition: Params;
}

interface WrongTool {
  readonly problem: string;
  /** The name of a tool that may have had another definition before. */
  readonly isOther?: string;
}

/** The tool, or the reason why it is neither listed nor pinned. Adds its name to those that were seen. */
function checkTool(tool: Json, seen: Set<string>): NamedTool | WrongTool {
  const name = isTable(tool) ? tool['name'] : undefined;
  if (!isTable(tool) || typeof name !== 'string') return {problem: 'it has no name'};
  const isSecond = seen.has(name);
  seen.add(name);
  if (!validName.test(name)) return {problem: `${quoted(name)} is not a name of a tool`};
  if (isSecond) return {problem: `${quoted(name)} is listed twice`};
  if (JSON.stringify(tool).length > definitionBytes)
    return {
      problem: `the definition of ${quoted(name)} is larger than ${definitionBytes / 1024} KB`,
      isOther: name,
    };
  return {name, definition: tool};
}
