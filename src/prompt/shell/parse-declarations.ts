import {quotedAt, unquoted} from './bash-quoting.ts';
import type {ShellVariable} from './shell-memory.ts';

const head = /declare (-(?:-|[aAiflnrtuxc]+)) ([A-Za-z_]\w*)/y;
/** An index, or a key that bash prints without quotes: no character of it is special in bash. */
const bareKey = /[^\s"'$`\\(){}[\]&;|<>!*?~#^]+/y;

/**
 * Parses the output of `declare -p`. Undefined if any part has another form: then the report is not bash's own, and none of it
 * counts.
 */
export function parseDeclarations(text: string): readonly ShellVariable[] | undefined {
  const found: ShellVariable[] = [];
  for (let at = 0; at < text.length;) {
    const [whole, flags, name] = match(head, text, at) ?? [];
    if (whole === undefined) return undefined;
    at += whole.length;
    let source: string | undefined;
    if (text[at] === '=') {
      source = text[at + 1] === '(' ? arrayAt(text, at + 1) : quotedAt(text, at + 1);
      if (source === undefined) return undefined;
      at += 1 + source.length;
    }
    if (text[at] !== '\n') return undefined;
    at++;
    found.push({name: name!, flags: flags!.replaceAll('-', ''), source});
  }
  return found;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** `([0]="x" [1]="y")`, and `(["a b"]="x" )` for an associative one. */
function arrayAt(text: string, start: number): string | undefined {
  let at = start + 1;
  while (text[at] !== ')') {
    if (text[at] === ' ') {
      at++;
      continue;
    }
    const element = elementAt(text, at);
    if (element === undefined) return undefined;
    at += element.length;
  }
  return text.slice(start, at + 1);
}

interface Element {
  readonly key: string;
  readonly value: string;
  readonly length: number;
}

function elementAt(text: string, start: number): Element | undefined {
  if (text[start] !== '[') return undefined;
  const key = quotedAt(text, start + 1) ?? match(bareKey, text, start + 1)?.[0];
  if (key === undefined) return undefined;
  const equals = start + 1 + key.length;
  if (text.slice(equals, equals + 2) !== ']=') return undefined;
  const value = quotedAt(text, equals + 2);
  if (value === undefined) return undefined;
  return {key, value, length: equals + 2 + value.length - start};
}

/** The keys and values of an array's source, which parseDeclarations has checked. */
export function entriesOf(source: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (let at = 1; at < source.length - 1;) {
    const element = elementAt(source, at);
    if (element === undefined) at++;
    else {
      const {key, value, length} = element;
      entries.set(/^["$]/.test(key) ? unquoted(key) : key, unquoted(value));
      at += length;
    }
  }
  return entries;
}
