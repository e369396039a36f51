import {shortened, visible} from '../../errors.ts';

/**
 * Escapes text from outside as `quoted` does, but without quotes around it, so quotes in the text are not escaped.
 */
export function escaped(text: string, maxLength = 4000): string {
  return visible(shortened(text, maxLength)).replace(/\\(?:\\|")/g, (pair) => (pair === '\\"' ? '"' : pair));
}
