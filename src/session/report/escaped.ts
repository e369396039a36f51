import {shortened, visible} from '../../errors.ts';

/** Text from outside as within quotes; but none stand around it, so its own need no mark. */
export function escaped(text: string, maxLength = 4000): string {
  return visible(shortened(text, maxLength)).replace(/\\(?:\\|")/g, (pair) => (pair === '\\"' ? '"' : pair));
}
