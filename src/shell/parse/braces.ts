/**
 * Expands braces as bash does: on the source text, before all other expansions. `g{it,\ o}x` gives the source of the words
 * that bash reads next. Returns undefined when there would be more than `limit` words.
 */
export function expandBraces(source: string, limit: number): string[] | undefined {
  const results: string[] = [];
  const work: {done: string; rest: string}[] = [{done: '', rest: source}];
  for (;;) {
    const item = work.pop();
    if (!item) return results;
    const brace = firstBrace(item.rest);
    if (!brace) {
      results.push(item.done + item.rest);
      if (results.length > limit) return undefined;
      continue;
    }
    const choices = brace.choices(limit);
    if (!choices || work.length + choices.length > limit) return undefined;
    const done = item.done + item.rest.slice(0, brace.start);
    const tail = item.rest.slice(brace.end);
    for (const choice of choices.reverse()) work.push({done, rest: choice + tail});
  }
}

interface Brace {
  readonly start: number;
  readonly end: number;
  choices(limit: number): string[] | undefined;
}

function firstBrace(text: string): Brace | undefined {
  for (let at = 0; at < text.length; at = skip(text, at)) {
    if (text[at] !== '{') continue;
    const brace = readBrace(text, at);
    if (brace) return brace;
  }
  return undefined;
}

const range = /^(?:(-?\d{1,15})\.\.(-?\d{1,15})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,15}))?$/;

function readBrace(text: string, start: number): Brace | undefined {
  const commas: number[] = [];
  let depth = 0;
  let at = start;
  for (; at < text.length; at = skip(text, at)) {
    const character = text[at];
    if (character === '{') depth++;
    else if (character === '}' && --depth === 0) break;
    else if (character === ',' && depth === 1) commas.push(at);
  }
  if (at >= text.length) return undefined;
  const end = at + 1;
  const body = text.slice(start + 1, at);
  if (commas.length > 0) {
    const edges = [start, ...commas, at];
    return {start, end, choices: () => edges.slice(1).map((edge, i) => text.slice(edges[i]! + 1, edge))};
  }
  const ends = range.exec(body);
  if (!ends) return undefined;
  return {start, end, choices: (limit) => countUp(ends, limit)};
}

function countUp(ends: RegExpExecArray, limit: number): string[] | undefined {
  const letters = ends[3] !== undefined;
  const from = letters ? ends[3]!.charCodeAt(0) : Number(ends[1]);
  const to = letters ? ends[4]!.charCodeAt(0) : Number(ends[2]);
  const step = Math.abs(Number(ends[5] ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > limit) return undefined;
  const zeros = [ends[1], ends[2]].filter((end) => end !== undefined && /^-?0\d/.test(end));
  const width = letters || zeros.length === 0 ? 0 : Math.max(ends[1]!.length, ends[2]!.length);
  return Array.from({length: count}, (_, index) => {
    const value = from + (to < from ? -1 : 1) * step * index;
    if (letters) return String.fromCharCode(value);
    return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0');
  });
}

/**
 * The position after the character at `at`. Quotes and expansions are skipped as a whole: braces in them are not expanded.
 */
function skip(text: string, at: number): number {
  const character = text[at];
  if (character === '\\') return at + 2;
  if (character === "'") return after(text, "'", at + 1);
  if (character === '"' || character === '`') return afterQuoted(text, character, at + 1);
  if (character !== '$') return at + 1;
  if (text[at + 1] === "'") return afterQuoted(text, "'", at + 2);
  if (text[at + 1] === '(') return afterNested(text, '(', ')', at + 1);
  if (text[at + 1] === '{') return afterNested(text, '{', '}', at + 1);
  return at + 1;
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? text.length : at + 1;
}

function afterQuoted(text: string, end: string, from: number): number {
  for (let at = from; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === end) return at + 1;
  return text.length;
}

function afterNested(text: string, open: string, close: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return at + 1;
    if (text[at] === '\\') at += 2;
    else if (text[at] === "'") at = after(text, "'", at + 1);
    else if (text[at] === '"') at = afterQuoted(text, '"', at + 1);
    else at++;
  }
  return text.length;
}
