import type {Key} from './decode-keys.ts';
import {before} from './text-motion.ts';

/** A search in the history (Ctrl-R). */
export interface Search {
  readonly query: string;
  /** The index of the entry that is shown. Undefined: none contains the query. */
  readonly found: number | undefined;
  /** The line and the cursor before the search. */
  readonly line: string;
  readonly cursor: number;
}

export interface Searched {
  /** Undefined: the search has ended. */
  readonly search?: Search;
  /** The line after the search. */
  readonly done?: {readonly text: string; readonly cursor: number};
  /** The key that ended it acts on that line. */
  readonly again?: boolean;
}

/** A search after a key. Pure. */
export function searchKey(search: Search, key: Key, history: readonly string[]): Searched {
  const {query, found, line, cursor} = search;
  if (key.kind !== 'key') {
    const longer = query + key.text.replaceAll('\n', ' ');
    return {search: find({...search, query: longer}, history, found ?? history.length - 1)};
  }
  switch (key.name) {
    case 'ctrl-r':
      return {search: find(search, history, (found ?? history.length) - 1, found)};
    case 'backspace': {
      const shorter = query.slice(0, before(query, query.length));
      return {search: find({...search, query: shorter}, history, history.length - 1)};
    }
    case 'ctrl-c':
    case 'ctrl-g':
      return {done: {text: line, cursor}};
  }
  const text = found === undefined ? line : history[found]!;
  const at = found === undefined ? cursor : Math.max(0, text.indexOf(query));
  return {done: {text, cursor: at}, again: key.name !== 'escape'};
}

/** The newest entry at or before `from` that contains the query, or `otherwise`. */
function find(search: Search, history: readonly string[], from: number, otherwise?: number): Search {
  if (search.query === '') return {...search, found: undefined};
  for (let at = Math.min(from, history.length - 1); at >= 0; at--)
    if (history[at]!.includes(search.query)) return {...search, found: at};
  return {...search, found: otherwise};
}
