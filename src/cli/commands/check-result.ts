import {existsSync} from 'node:fs';
import {exitCodes, quoted, renderMessage} from '../../errors.ts';
import type {Action, Decision} from '../../policy/decision.ts';
import {explain, locationOf} from '../../policy/explain.ts';
import {checkRecord} from '../../session/report/check-record.ts';
import {messageFor} from '../../session/report/message-for.ts';
import type {Refusal} from '../../session/report/refusal.ts';
import {losesWork} from '../../shell/dangerous/loses-work.ts';
import {asJson, printed, type CliResult} from '../result.ts';

export interface CheckInput {
  readonly action: Action;
  readonly decision: Decision;
  /** The refusals that the sandbox will add to the decision. */
  readonly refusals?: readonly Refusal[];
  /** The network entry that allows the address in the command. */
  readonly grant?: string | undefined;
  readonly json?: boolean;
}

/**
 * `ion check`: the decision, the part of the command that it is about, and the chain that led to it. Nothing runs.
 */
export function runCheck({action, decision, refusals = [], grant, json = false}: CheckInput): CliResult {
  const exitCode = decision.effect === 'allow' ? 0 : exitCodes.denied;
  if (json) {
    return asJson(checkRecord({action, decision}, refusals), exitCode);
  }
  const parts = [
    renderMessage({text: decision.message, at: locationOf(decision), help: decision.help}),
    underlined(action, decision),
    ...decision.destructive
      .filter((one) => losesWork(one, existsSync))
      .map(
        ({what, impactScope, outsideWorkspace, rollbackAdvice}) =>
          `destructive: ${what}: ${impactScope.map((path) => quoted(path)).join(' ')}${outsideWorkspace ? ' (outside the workspace)' : ''}\n  ${rollbackAdvice}\n`,
      ),
    ...willRefuseLines(refusals),
    ...(grant === undefined ? [] : [`network: ${grant}\n`]),
    ...decision.notes.map((note) => `note: ${note}\n`),
    'how it was decided:\n',
    // The first line would repeat the message above.
    explain(decision).replace(/^.*\n/, ''),
  ];
  return printed(parts.join(''), exitCode);
}

/** A usual terminal width. A longer command is cut to the part that matters. */
const maxWidth = 100;

/** The command on one line, control characters as blanks, with the matching segment underlined. */
function underlined({command}: Action, {span}: Decision): string {
  if (!command || !span || span.end <= span.start) return '';
  const line = quoted(command.text, command.text.length).slice(1, -1);
  // Escaped characters are longer, so the span fits only text that has none.
  if (line.length !== command.text.length) return '';
  const from = Math.max(0, Math.min(span.start - 20, line.length - maxWidth));
  const shown = line.slice(from, from + maxWidth);
  const start = span.start - from;
  const length = Math.min(span.end, from + maxWidth) - span.start;
  return `  ${shown}\n  ${' '.repeat(start)}${'^'.repeat(length)}\n`;
}

function willRefuseLines(refusals: readonly Refusal[]): string[] {
  if (refusals.length === 0) return [];
  const lines = refusals.map((one) => {
    const {text, help} = messageFor(one);
    return `  ${text}\n${help === undefined ? '' : `    help: ${help}\n`}`;
  });
  return ["judging by the command's text, the sandbox will refuse:\n", ...lines];
}
