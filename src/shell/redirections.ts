import type {Redirection as ParsedRedirection} from 'unbash';
import type {Redirection} from './analysis.ts';
import type {Place, Run} from './run.ts';
import {spanIn, type Source} from './source.ts';
import {plainWord} from './words.ts';

interface Read {
  readonly redirection: Redirection;
  /** What it puts on stdin: text, or null when that is not known. Absent when it does not touch stdin. */
  readonly input?: Source | null;
}

export function readRedirection(run: Run, node: ParsedRedirection, place: Place): Read {
  run.constructs.add('redirection');
  const span = spanIn(place.source, node.pos, node.end);
  const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : undefined;
  const base = {operator: node.operator, span, ...(descriptor === undefined ? {} : {descriptor})};
  const stdin = (descriptor ?? 0) === 0;
  if (node.type === 'HereDoc') {
    run.constructs.add('here-document');
    const {body} = node;
    const known = node.delimiter?.quoted || (body.parts ?? []).every((part) => part.type === 'Literal');
    if (!known) run.constructs.add('here-document-expansion');
    const text = node.delimiter?.quoted ? body.text : unescaped(body.text);
    const source = {text, whole: spanIn(place.source, body.pos, body.end)};
    const exact = text === body.text && place.source.text.startsWith(text, body.pos);
    const start = exact && place.source.start !== undefined ? {start: place.source.start + body.pos} : {};
    return {
      redirection: {...base, writes: false},
      ...(stdin ? {input: known ? {...source, ...start} : null} : {}),
    };
  }
  const target = node.target && plainWord(node.target, place.source);
  if (node.type === 'HereString') {
    const redirection = {...base, writes: false, ...(target ? {target} : {})};
    if (!stdin) return {redirection};
    return {redirection, input: target?.literal ? {text: target.text, whole: target.span} : null};
  }
  const writes =
    !(node.operator === '<' || node.operator === '<&') && !duplicates(node.operator, target?.text);
  const redirection = {...base, writes, ...(target ? {target} : {})};
  const reads = node.operator === '<' || node.operator === '<>' || node.operator === '<&';
  if (!reads || !stdin) return {redirection};
  const heres = node.target?.parts?.[0]?.type === 'ProcessSubstitution';
  return {
    redirection,
    input: !heres && target?.literal && target.text === '/dev/null' ? {text: '', whole: span} : null,
  };
}

/** `2>&1`, `>&-`: a descriptor is copied or closed, no file is opened. */
function duplicates(operator: string, target: string | undefined): boolean {
  return operator === '>&' && target !== undefined && /^(\d+-?|-)$/.test(target);
}

/** In a here-document without quotes a backslash only quotes `$`, backquote, backslash and newline. */
function unescaped(text: string): string {
  return text.replace(/\\([$`\\])|\\\n/g, (_, character?: string) => character ?? '');
}
