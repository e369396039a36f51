import type {Analysis} from '../shell/analysis.ts';
import {mayBeDenied} from '../shell/match/deny.ts';
import {quoted} from '../errors.ts';

/** Why a pattern may still match when the command runs. Undefined if none can. */
export function whatIsUnclear(analysis: Analysis, patterns: readonly string[]): string | undefined {
  const unknown = analysis.problems[0]?.message ?? analysis.unknown[0]?.message;
  if (unknown !== undefined) return unknown;
  if (analysis.opaque) return 'a part of it is known only when it runs';
  if (analysis.constructs.has('script-file')) return 'what the script file runs is known only when it runs';
  if (!analysis.segments.some(({open, argv}) => open || argv.some(({literal}) => !literal))) return undefined;
  const may = mayBeDenied(patterns, analysis);
  return may && `${quoted(may.segment.raw)} may become ${quoted(may.pattern)} when it runs`;
}
