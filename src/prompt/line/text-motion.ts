/** Positions in a text are offsets of UTF-16 units at the border of a grapheme: what a person sees as one character. */
let segmenter: Intl.Segmenter | undefined;

export function graphemes(text: string): readonly string[] {
  if (/^[\n -~]*$/.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({segment}) => segment);
}

export function before(text: string, at: number): number {
  return at - (graphemes(text.slice(0, at)).at(-1)?.length ?? 0);
}

export function after(text: string, at: number): number {
  return at + (graphemes(text.slice(at))[0]?.length ?? 0);
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

const ofWord = /[\p{L}\p{N}_]/u;

export function wordStart(text: string, at: number): number {
  let to = at;
  while (to > 0 && !ofWord.test(text[to - 1]!)) to--;
  while (to > 0 && ofWord.test(text[to - 1]!)) to--;
  return to;
}

export function wordEnd(text: string, at: number): number {
  let to = at;
  while (to < text.length && !ofWord.test(text[to]!)) to++;
  while (to < text.length && ofWord.test(text[to]!)) to++;
  return to;
}

/** Goes back to a blank, as Ctrl-W does in bash. */
export function blankStart(text: string, at: number): number {
  let to = at;
  while (to > 0 && /\s/.test(text[to - 1]!)) to--;
  while (to > 0 && !/\s/.test(text[to - 1]!)) to--;
  return to;
}

/** The position one line above or below, in the same column if that line is long enough. Undefined: there is no such line. */
export function verticalMove(text: string, at: number, down: boolean): number | undefined {
  const start = lineStart(text, at);
  const column = at - start;
  if (down) {
    const next = lineEnd(text, at) + 1;
    return next > text.length ? undefined : onBorder(text, Math.min(next + column, lineEnd(text, next)));
  }
  if (start === 0) return undefined;
  return onBorder(text, Math.min(lineStart(text, start - 1) + column, start - 1));
}

/** The nearest border of a grapheme that is not after the position. */
function onBorder(text: string, at: number): number {
  const start = lineStart(text, at);
  let border = start;
  for (const one of graphemes(text.slice(start))) {
    if (border + one.length > at) break;
    border += one.length;
  }
  return border;
}
