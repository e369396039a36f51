import type {Analysis, Segment} from '../../src/shell/analysis.ts';
import {compileGlob, runGlob} from '../../src/shell/match/glob.ts';
import {baseName} from '../../src/system/base-name.ts';

/**
 * found: a segment has exactly these words. covered: a segment with unknown parts fits, or the analysis reports that it is
 * incomplete. missed: ion would have been wrong about this line.
 */
export type Outcome = 'found' | 'covered' | 'missed';

export function compare(executed: readonly string[], analysis: Analysis): Outcome {
  if (analysis.segments.some((segment) => isExactly(segment, executed))) return 'found';
  if (analysis.segments.some((segment) => fits(segment, executed))) return 'covered';
  if (analysis.constructs.has('script-file')) return 'covered';
  return analysis.opaque || analysis.problems.length > 0 ? 'covered' : 'missed';
}

function isExactly({argv}: Segment, executed: readonly string[]): boolean {
  return (
    argv.length === executed.length &&
    argv.every(
      (word, index) => word.literal && (index === 0 ? baseName(word.text) : word.text) === executed[index],
    )
  );
}

/** The literal words are in the execution, in order, and something in the segment is unknown. */
function fits({argv, open}: Segment, executed: readonly string[]): boolean {
  if (!open && argv.every((word) => word.literal)) return false;
  const text = executed.join(' ');
  const pieces = argv.flatMap((word, index) => {
    const known = word.pieces ?? [word.text];
    return index > 0 && known[0] !== null ? [' ', ...known] : [...known];
  });
  const literal = text.replace(/[*?]/g, '?');
  return runGlob(compileGlob(literal), open ? [...pieces, null] : pieces);
}
