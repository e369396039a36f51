import {parse, type ParsedScript} from 'unbash';
import {childrenOf} from './syntax-children.ts';

/** Reports whether bash would ask for another line: an open quote, here-document or compound command, or a line that ends in `\`. */
export function isOpen(text: string): boolean {
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) return true;
  const script = parse(text);
  const errors = script.errors ?? [];
  if (errors.some(({message}) => message.startsWith('unexpected'))) return false;
  const isAtEnd = ({message, pos}: {message: string; pos: number}): boolean =>
    message.startsWith('unterminated') || pos >= text.trimEnd().length;
  return errors.some(isAtEnd) || hasOpenDocument(script);
}

/** A here-document without its last line. The parser accepts it, as bash does at the end of a file. */
function hasOpenDocument(node: ParsedScript): boolean {
  const pending: unknown[] = [node.commands];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one !== 'object' || one === null) continue;
    if ('type' in one && one.type === 'HereDoc' && !(one as {closing?: unknown}).closing) return true;
    pending.push(...childrenOf(one).map(([, child]) => child));
  }
  return false;
}
