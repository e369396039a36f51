import type {Word} from '../analysis.ts';

/** Words in which a placeholder stands for unknown text: `{}` in `find -exec` and `xargs -I{}`. */
export function withHoles(
  argv: readonly Word[],
  mark: string | undefined,
  by: 'argument' | 'found' = 'argument',
): readonly Word[] {
  if (!mark) return argv;
  return argv.map((word) => {
    if (!word.literal || !word.text.includes(mark)) return word;
    const pieces = word.text.split(mark).flatMap((piece, index) => (index === 0 ? [piece] : [null, piece]));
    return {...word, literal: false, pieces, expansions: [by]};
  });
}

/** The index of the first word that is not a leading `NAME=value`. */
export function skipAssignments(argv: readonly Word[], from: number): number {
  let at = from;
  while (at < argv.length && /^[A-Za-z_]\w*=/.test(argv[at]!.text)) at++;
  return at;
}
