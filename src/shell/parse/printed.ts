import type {CommandNode} from 'unbash';
import type {Position} from './parse-run.ts';
import type {Source} from './source.ts';
import {spanIn} from './source.ts';
import {plainWord} from './words.ts';

/** The text that a command of a pipeline prints, if it is known (`echo git push | sh`); otherwise null. */
export function printedText(node: CommandNode, place: Position): Source | null {
  if (
    node.type !== 'Command' ||
    !node.name ||
    node.redirects.some((redirect) => redirect.type === 'Redirect')
  ) {
    return null;
  }
  const words = [node.name, ...node.args].map((word) =>
    word.type === 'Word' ? plainWord(word, place.source) : undefined,
  );
  const literal = words.every((word) => word?.literal);
  if (!literal) return null;
  const [name, ...args] = words.map((word) => word!.text);
  const whole = spanIn(place.source, node.pos, node.end);
  const print = printers[name!];
  const text = print?.(args);
  if (text !== undefined) return {text, whole};
  return name === 'cat' && args.every((arg) => arg === '-') ? hereDocument(node, place) : null;
}

const printers: Record<string, (args: readonly string[]) => string | undefined> = {
  echo: (args) => {
    const flags = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const rest = flags === -1 ? [] : args.slice(flags);
    const escapes = args.slice(0, Math.max(flags, 0)).some((arg) => arg.includes('e'));
    const text = rest.join(' ');
    return escapes ? withEscapes(text) : text;
  },
  printf: ([format, ...args]) => {
    if (format === undefined || format.startsWith('-')) return undefined;
    let next = 0;
    const text = withEscapes(format)?.replace(/%(%|[sbq])/g, (_, kind: string) =>
      kind === '%' ? '%' : (args[next++] ?? ''),
    );
    return text === undefined || /%[^%]/.test(format.replace(/%[%sbq]/g, ''))
      ? undefined
      : [text, ...args.slice(next)].join(' ');
  },
};

const escapes: Record<string, string> = {n: '\n', t: '\t', '\\': '\\', r: '\r', a: '', b: ''};

function withEscapes(text: string): string | undefined {
  let unknown = false;
  const result = text.replace(/\\(.)/gs, (_, character: string) => {
    const value = escapes[character];
    if (value === undefined) unknown = true;
    return value ?? '';
  });
  return unknown ? undefined : result;
}

function hereDocument(node: Extract<CommandNode, {type: 'Command'}>, place: Position): Source | null {
  const last = node.redirects.at(-1);
  if (last?.type !== 'HereDoc') return place.input ?? null;
  const {body} = last;
  if ((body.parts ?? []).some((part) => part.type !== 'Literal') && !last.delimiter?.quoted) return null;
  return {text: body.text, whole: spanIn(place.source, body.pos, body.end)};
}
