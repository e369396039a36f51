import type {Key} from './decode-keys.ts';
import {
  after,
  before,
  blankStart,
  lineEnd,
  lineStart,
  verticalMove,
  wordEnd,
  wordStart,
} from './text-motion.ts';
import {searchKey, type Search} from './history-search.ts';

/** The line that is edited. */
export interface Editor {
  readonly text: string;
  /** An offset in `text`, at the border of a grapheme. */
  readonly cursor: number;
  /** The last text that was cut. */
  readonly cut: string;
  /** Texts before the latest changes, the last one at the end. */
  readonly undo: readonly Snapshot[];
  /** Which entry of the history is shown, counted from the newest; 0: the line itself. */
  readonly entry: number;
  /** The line itself, while an entry is shown. */
  readonly draft: string;
  readonly search?: Search | undefined;
}

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

/** The actions that the editor cannot do itself. */
export type Effect = 'submit' | 'cancel' | 'end' | 'complete' | 'next-mode' | 'clear' | 'bell';

export interface Edited {
  readonly editor: Editor;
  readonly effect?: Effect;
}

/** The facts that keys need: earlier lines, the newest last, and whether bash would ask for another line. */
export interface EditContext {
  readonly history: readonly string[];
  readonly isOpen: (text: string) => boolean;
}

export const newEditor: Editor = {text: '', cursor: 0, cut: '', undo: [], entry: 0, draft: ''};

/** A longer line cannot be a command: the kernel's limit for one argument. */
const maxLength = 100_000;
const maxUndo = 100;

/** The editor after a key. Pure. */
export function edit(editor: Editor, key: Key, context: EditContext): Edited {
  if (editor.search) {
    const {search, done, again} = searchKey(editor.search, key, context.history);
    if (search) return {editor: {...editor, search}};
    const found = {...editor, text: done!.text, cursor: done!.cursor, search: undefined, entry: 0};
    return again ? edit(found, key, context) : {editor: found};
  }
  if (key.kind !== 'key') return insert(editor, key.text);
  return Object.hasOwn(actions, key.name) ? actions[key.name]!(editor, context) : {editor};
}

function insert(editor: Editor, text: string): Edited {
  if (editor.text.length + text.length > maxLength) return {editor, effect: 'bell'};
  const {cursor} = editor;
  return change(
    editor,
    editor.text.slice(0, cursor) + text + editor.text.slice(cursor),
    cursor + text.length,
  );
}

function change(editor: Editor, text: string, cursor: number, cut = editor.cut): Edited {
  if (text === editor.text) return {editor: {...editor, cursor, cut}};
  const undo = [...editor.undo, {text: editor.text, cursor: editor.cursor}].slice(-maxUndo);
  return {editor: {...editor, text, cursor, cut, undo}};
}

function move(editor: Editor, cursor: number): Edited {
  return {editor: {...editor, cursor}};
}

/** Removes a part of the text. With `keep` it can be inserted again by Ctrl-Y. */
function remove(editor: Editor, from: number, to: number, keep: boolean): Edited {
  const {text} = editor;
  if (from === to) return {editor, effect: 'bell'};
  const cut = keep ? text.slice(from, to) : editor.cut;
  return change(editor, text.slice(0, from) + text.slice(to), from, cut);
}

function showEntry(editor: Editor, entry: number, {history}: EditContext): Edited {
  if (entry < 0 || entry > history.length) return {editor, effect: 'bell'};
  const draft = editor.entry === 0 ? editor.text : editor.draft;
  const text = entry === 0 ? draft : history[history.length - entry]!;
  return {editor: {...editor, text, cursor: text.length, draft, entry, undo: []}};
}

function vertical(editor: Editor, down: boolean, context: EditContext): Edited {
  const to = verticalMove(editor.text, editor.cursor, down);
  return to === undefined ? showEntry(editor, editor.entry + (down ? -1 : 1), context) : move(editor, to);
}

function enter(editor: Editor, {isOpen}: EditContext): Edited {
  const atEnd = {...editor, cursor: editor.text.length};
  return isOpen(editor.text) ? insert(atEnd, '\n') : {editor: atEnd, effect: 'submit'};
}

function transpose(editor: Editor): Edited {
  const {text} = editor;
  const middle = editor.cursor === lineEnd(text, editor.cursor) ? before(text, editor.cursor) : editor.cursor;
  const from = before(text, middle);
  const to = after(text, middle);
  if (from < lineStart(text, middle) || from === middle || to === middle) return {editor, effect: 'bell'};
  return change(
    editor,
    text.slice(0, from) + text.slice(middle, to) + text.slice(from, middle) + text.slice(to),
    to,
  );
}

type Action = (editor: Editor, context: EditContext) => Edited;

const actions: Readonly<Record<string, Action>> = {
  enter,
  newline: (editor) => insert(editor, '\n'),
  'ctrl-c': (editor) => ({editor, effect: 'cancel'}),
  'ctrl-d': (editor) =>
    editor.text === ''
      ? {editor, effect: 'end'}
      : remove(editor, editor.cursor, after(editor.text, editor.cursor), false),
  tab: (editor) => ({editor, effect: 'complete'}),
  'shift-tab': (editor) => ({editor, effect: 'next-mode'}),
  'ctrl-l': (editor) => ({editor, effect: 'clear'}),
  left: (editor) => move(editor, before(editor.text, editor.cursor)),
  right: (editor) => move(editor, after(editor.text, editor.cursor)),
  'ctrl-b': (editor) => move(editor, before(editor.text, editor.cursor)),
  'ctrl-f': (editor) => move(editor, after(editor.text, editor.cursor)),
  'word-left': (editor) => move(editor, wordStart(editor.text, editor.cursor)),
  'word-right': (editor) => move(editor, wordEnd(editor.text, editor.cursor)),
  home: (editor) => move(editor, lineStart(editor.text, editor.cursor)),
  end: (editor) => move(editor, lineEnd(editor.text, editor.cursor)),
  'ctrl-a': (editor) => move(editor, lineStart(editor.text, editor.cursor)),
  'ctrl-e': (editor) => move(editor, lineEnd(editor.text, editor.cursor)),
  up: (editor, context) => vertical(editor, false, context),
  down: (editor, context) => vertical(editor, true, context),
  'ctrl-p': (editor, context) => showEntry(editor, editor.entry + 1, context),
  'ctrl-n': (editor, context) => showEntry(editor, editor.entry - 1, context),
  first: (editor, context) => showEntry(editor, context.history.length, context),
  last: (editor, context) => showEntry(editor, 0, context),
  'ctrl-r': (editor) => ({
    editor: {...editor, search: {query: '', found: undefined, line: editor.text, cursor: editor.cursor}},
  }),
  backspace: (editor) => remove(editor, before(editor.text, editor.cursor), editor.cursor, false),
  delete: (editor) => remove(editor, editor.cursor, after(editor.text, editor.cursor), false),
  'ctrl-k': (editor) => remove(editor, editor.cursor, cutEnd(editor), true),
  'ctrl-u': (editor) => remove(editor, lineStart(editor.text, editor.cursor), editor.cursor, true),
  'ctrl-w': (editor) => remove(editor, blankStart(editor.text, editor.cursor), editor.cursor, true),
  'rubout-word': (editor) => remove(editor, wordStart(editor.text, editor.cursor), editor.cursor, true),
  'kill-word': (editor) => remove(editor, editor.cursor, wordEnd(editor.text, editor.cursor), true),
  'ctrl-y': (editor) => insert(editor, editor.cut),
  'ctrl-t': transpose,
  'ctrl-_': (editor) => {
    const last = editor.undo.at(-1);
    return last ? {editor: {...editor, ...last, undo: editor.undo.slice(0, -1)}} : {editor, effect: 'bell'};
  },
};

/** Where a cut to the end of the line ends: at the end, or after the line break if the cursor is already at the end. */
function cutEnd({text, cursor}: Editor): number {
  const end = lineEnd(text, cursor);
  return end === cursor ? after(text, cursor) : end;
}
