import type {Redirection as ParsedRedirection, Word as ParsedWord} from 'unbash';
import type {Redirection} from '../analysis.ts';
import {addProblem, addUnknown, type Position, type Run} from './parse-run.ts';
import {spanIn, type Source} from './source.ts';
import {plainWord} from './words.ts';

interface Read {
  readonly redirection: Redirection;
  /** The text that it puts on stdin, or null if unknown. Absent when it does not change stdin. */
  readonly input?: Source | null;
}

export function readRedirection(run: Run, node: ParsedRedirection, place: Position): Read {
  run.constructs.add('redirection');
  const span = spanIn(place.source, node.pos, node.end);
  if (!node.descriptor && mayBeVariable(place.source.text, node.pos))
    addUnknown(run, 'a redirection may set a variable', span);
  const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : undefined;
  const variable = node.descriptor?.type === 'FileDescriptorVariable' ? node.descriptor.name : undefined;
  const base = {
    operator: node.operator,
    span,
    ...(descriptor === undefined ? {} : {descriptor}),
    ...(variable === undefined ? {} : {variable}),
  };
  const stdin = (descriptor ?? 0) === 0;
  if (node.type === 'HereDoc') {
    run.constructs.add('here-document');
    const {body} = node;
    if (node.delimiter && /^[<>]\(/.test(place.source.text.slice(node.delimiter.end))) {
      // bash reads a longer word and ends the here-document elsewhere. So text of the here-document may be commands.
      addProblem(run, 'a here-document ends at a word with a process substitution', span);
      const source = {text: body.text, whole: span};
      run.walkText({...place, source, depth: place.depth + 1, guessed: true});
    }
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
  if (node.target && goesOn(node.target, place.source.text))
    addProblem(run, 'a redirection continues after a process substitution', span);
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

/** bash reads one word after `<<<` in `<<< <(a)b c` and runs c. The parser reads two words and runs b. */
function goesOn({text, end}: ParsedWord, source: string): boolean {
  return /^[<>]\(/.test(text) && /^[^\s;|&<>()]/.test(source.slice(end, end + 1));
}

/** `2>&1`, `>&-`: copies or closes a descriptor, and opens no file. */
function duplicates(operator: string, target: string | undefined): boolean {
  return operator === '>&' && target !== undefined && /^(\d+-?|-)$/.test(target);
}

/**
 * bash may read the word that ends here as the variable of a redirection, where the parser sees a plain word:
 * `{a['$(cmd)']}<f` runs cmd. The same for a name with an escaped newline in it.
 */
function mayBeVariable(text: string, end: number): boolean {
  let at = end;
  const before = (): string => {
    while (text.endsWith('\\\n', at)) at -= 2;
    return text.charAt(--at);
  };
  if (before() !== '}') return false;
  let mark = before();
  if (!/[\w\]]/.test(mark)) return false;
  while (/\w/.test(mark)) mark = before();
  return mark === ']' || (mark === '{' && before() !== '$');
}

/** In a here-document without quotes, a backslash quotes only `$`, backquote, backslash and newline. */
function unescaped(text: string): string {
  return text.replace(/\\([$`\\])|\\\n/g, (_, character?: string) => character ?? '');
}
