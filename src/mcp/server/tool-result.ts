import {quoted, renderMessage} from '../../errors.ts';
import type {CommandError, Denial, Facts} from '../../library/types.ts';

/** The result of a tool in the form of the protocol. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

export type Content =
  | {readonly type: 'text'; readonly text: string}
  | {readonly type: 'image'; readonly data: string; readonly mimeType: string}
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

export function textResult(text: string, structuredContent: Readonly<Record<string, unknown>>): ToolResult {
  return {content: [{type: 'text', text}], structuredContent};
}

export function failure(text: string, structuredContent: Readonly<Record<string, unknown>>): ToolResult {
  return {...textResult(text, structuredContent), isError: true};
}

/** The denials that a result shows. After an expected one the program goes on: it is in the events only. */
export function unexpected(denials: readonly Denial[]): readonly Denial[] {
  return denials.filter((one) => one['expected'] !== true);
}

/** One line for a refusal of the boundary. Names that a program chose are escaped. */
export function denialLine({operation, path, program, rule, count, would_allow: help}: Denial): string {
  const who = program === null ? 'a process' : quoted(program.slice(program.lastIndexOf('/') + 1));
  const times = count > 1 ? `, ${count} times` : '';
  const why = rule === null ? '' : ` (${rule})`;
  return renderMessage({
    text: `blocked: ${who} could not ${operation} ${quoted(path ?? '')}${why}${times}`,
    help: help ?? undefined,
  });
}

export function denialRecord({violation_id, operation, path, program, rule, count, would_allow}: Denial) {
  return {id: violation_id, operation, path, program, rule, count, help: would_allow};
}

/** The parts of the boundary that explain a failure. */
export function briefFacts({mode, enforced, network, cwd, downgrades}: Facts) {
  return {mode, enforced, network, cwd, not_enforced: downgrades};
}

/** The result of a command that was denied, or that could not be set up. Any other error is thrown again. */
export function refusedResult(error: unknown, id?: string): ToolResult {
  if (!isRefusal(error)) throw error;
  const {message, decision, help} = error;
  const line = renderMessage({text: message.replace(/^ion: /, ''), help});
  return failure(line, {
    exit_code: null,
    denied: error.code === 'ERR_ION_DENIED',
    message,
    ...(decision ? {reason: decision.decision_reason, source: decision.decision_source} : {}),
    ...(id === undefined ? {} : {denial_id: id}),
    help: help ?? null,
  });
}

function isRefusal(error: unknown): error is CommandError {
  return error instanceof Error && ('exitCode' in error || 'decision' in error);
}
