import {canonicalJson} from '../../audit/canonical.ts';
import {isTable, type Params} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import type {WaitingPin} from './pins.ts';

/**
 * What the user decides about: each tool that waits, with the members of its definition that differ from the accepted one.
 * Equal members were accepted before and are left out. Everything that a server chose is escaped.
 */
export function describeWaiting(waiting: readonly WaitingPin[], unlisted: readonly string[]): string {
  const tools = waiting.map((one) => `${nameText(one.name)}: ${stateOf(one)}\n${definitionDiff(one)}`);
  const gone = unlisted.length > 0 ? [`no longer listed: ${unlisted.map(nameText).join(', ')}\n`] : [];
  return [...tools, ...gone].join('\n');
}

function stateOf({accepted}: WaitingPin): string {
  if (accepted === undefined) return 'new';
  return accepted === 'not kept'
    ? 'changed; the definition that was accepted is not kept, so this is the whole new one'
    : 'changed';
}

function definitionDiff({accepted, definition}: WaitingPin): string {
  const before = typeof accepted === 'object' ? accepted : {};
  return changesOf(before, definition, [])
    .filter(({path}) => path.length !== 1 || path[0] !== 'name')
    .map(({path, old, now}) => {
      const [left, right] = typeof old === 'string' && typeof now === 'string' ? cut(old, now) : [old, now];
      return [`  ${path.map(nameText).join('.')}`, ...line('-', left), ...line('+', right)]
        .map((one) => `${one}\n`)
        .join('');
    })
    .join('');
}

interface Change {
  readonly path: readonly string[];
  /** Undefined: there was none. */
  readonly old: Json | Excerpt | undefined;
  readonly now: Json | Excerpt | undefined;
}

function changesOf(old: Params, now: Params, above: readonly string[]): Change[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])];
  return names.flatMap((name): Change[] => {
    const path = [...above, name];
    const [left, right] = [own(old, name), own(now, name)];
    if (isTable(left) && isTable(right)) return changesOf(left, right, path);
    if (left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right)) return [];
    return [{path, old: left, now: right}];
  });
}

function own(table: Params, name: string): Json | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A part of a text. */
class Excerpt {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** This much is shown around what differs. */
const contextLength = 30;

/** Leaves out the equal beginning and end of two texts. */
function cut(old: string, now: string): readonly [Excerpt, Excerpt] {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - contextLength);
  const left = Math.max(0, end - contextLength);
  const excerpt = (text: string): Excerpt =>
    new Excerpt(
      `${from > 0 ? '…' : ''}${canonicalJson(text.slice(from, text.length - left))}${left > 0 ? '…' : ''}`,
    );
  return [excerpt(old), excerpt(now)];
}

function line(sign: string, value: Json | Excerpt | undefined): string[] {
  if (value === undefined) return [];
  return [`    ${sign} ${value instanceof Excerpt ? value.text : canonicalJson(value)}`];
}

function nameText(name: string): string {
  return /^[\w.$/-]+$/.test(name) ? name : canonicalJson(name);
}
