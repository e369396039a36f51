import {quoted, renderMessage} from '../../errors.ts';
import type {Host} from '../../session/host.ts';
import {adviceTo, messageTo} from '../../session/report/audience.ts';
import {messageFor} from '../../session/report/message-for.ts';
import {shownChain} from '../../session/report/askers.ts';
import {recordedRefusals, type RecordedRefusals} from '../recorded-refusals.ts';
import {printed, type CliResult} from '../result.ts';

/** `ion why [<id>]`: shows refusals from the audit log, and the settings that would allow them. */
export async function whyCommand(host: Host, id: string | undefined): Promise<CliResult> {
  const recorded = await recordedRefusals(host, id);
  const parts = [runLine(recorded), ...denialOf(recorded), ...refusalsOf(recorded), ...othersOf(recorded)];
  if (parts.length === 1) parts.push('nothing was refused\n');
  return printed(parts.join(''));
}

export function runLine({run}: RecordedRefusals): string {
  const end = run.exitCode === null ? 'no end' : `exit ${run.exitCode}`;
  return `run ${run.run.slice(0, 8)}  ${quoted(run.started).slice(1, -1)}  ${end}  ${quoted(run.command, 80)}\n`;
}

/** A rule that no file has, such as a built-in one, is recorded with the name of its layer. */
const isLayer = /^[a-z-]+$/;

export function denialOf({run: {denial}, asksFor, reader}: RecordedRefusals): string[] {
  if (!denial || !asksFor(denial.id)) return [];
  const {message, help, rule_refs: rules} = denial.decision;
  const [at] = rules.filter((rule) => !isLayer.test(rule.at)).map((rule) => ({file: rule.at}));
  return [
    `${denial.id}\n`,
    renderMessage({text: message, at, help: adviceTo(reader, help ?? undefined, denial.id)}),
  ];
}

function refusalsOf({refused, inputs, reader}: RecordedRefusals): string[] {
  return refused.map(({id, violation}) => {
    const message = messageTo(
      reader,
      messageFor({kind: 'violation', violation, settings: inputs.settings}),
      id,
    );
    const {asked} = violation;
    const by = asked && asked.chain.length > 0 ? `  asked by ${shownChain(asked)}` : '';
    return `${id}${by}\n${renderMessage(message)}`;
  });
}

function othersOf({others, reader}: RecordedRefusals): string[] {
  return others.map(({violation_id: id, operation, path, protection, would_allow: help}) => {
    const text = `${operation}: ${path === null ? protection : quoted(path)}`;
    return `${id}\n${renderMessage({text, help: adviceTo(reader, help ?? undefined, id)})}`;
  });
}
