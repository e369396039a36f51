import {closeSync, constants, existsSync, ftruncateSync, writeSync} from 'node:fs';
import path from 'node:path';
import {makeFolders, openJudged, regularFile} from './open-judged.ts';
import {readWhole} from './read-file.ts';
import {ToolError} from './tool-error.ts';

export interface WriteRequest {
  readonly path: string;
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64';
}

export interface WriteResult {
  readonly bytes: number;
  readonly created: boolean;
}

/** Writes the whole file. An existing file keeps its mode and its hard links. Missing folders are created. */
export function writeFile({path: file, content, encoding = 'utf8'}: WriteRequest): WriteResult {
  const data = Buffer.from(content, encoding);
  const folder = path.dirname(file);
  if (!existsSync(folder)) makeFolders(folder);
  const created = !existsSync(file);
  const descriptor = openJudged(file, constants.O_WRONLY | constants.O_CREAT);
  try {
    regularFile(descriptor);
    replaceContent(descriptor, data);
    return {bytes: data.length, created};
  } finally {
    closeSync(descriptor);
  }
}

function replaceContent(descriptor: number, data: Buffer): void {
  for (let at = 0; at < data.length;) at += writeSync(descriptor, data, at, data.length - at, at);
  ftruncateSync(descriptor, data.length);
}

export interface EditRequest {
  readonly path: string;
  readonly edits: readonly {readonly old: string; readonly new: string; readonly all?: boolean}[];
}

export interface EditResult {
  readonly replacements: number;
  /** The line of the first replacement. */
  readonly line: number;
  readonly bytes: number;
}

const maxEditedBytes = 16 * 1024 * 1024;

/** Replaces exact texts. Each must occur once, unless `all` is set. If one edit is not possible, none is made. */
export function editFile({path: file, edits}: EditRequest): EditResult {
  const descriptor = openJudged(file, constants.O_RDWR);
  try {
    const {size} = regularFile(descriptor);
    if (size > maxEditedBytes)
      throw new ToolError('TOO_LARGE', `the file has ${size} bytes, more than ${maxEditedBytes}`);
    let text = utf8(readWhole(descriptor, size));
    let [replacements, first] = [0, Number.MAX_SAFE_INTEGER];
    for (const [index, edit] of edits.entries()) {
      const made = replaced(text, edit, edits.length > 1 ? `edit ${index + 1}: ` : '');
      text = made.text;
      replacements += made.count;
      first = Math.min(first, made.line);
    }
    const data = Buffer.from(text);
    replaceContent(descriptor, data);
    return {replacements, line: first, bytes: data.length};
  } finally {
    closeSync(descriptor);
  }
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    throw new ToolError('NOT_TEXT', 'the file is not UTF-8 text');
  }
}

function replaced(text: string, edit: EditRequest['edits'][number], which: string) {
  const {old, new: fresh, all = false} = edit;
  if (old === '') throw new ToolError('NO_MATCH', `${which}the text to replace is empty`);
  if (old === fresh) throw new ToolError('NO_CHANGE', `${which}the old and the new text are equal`);
  const parts = text.split(old);
  const count = parts.length - 1;
  if (count === 0) throw new ToolError('NO_MATCH', `${which}the text does not occur in the file`);
  if (count > 1 && !all)
    throw new ToolError('SEVERAL', `${which}the text occurs ${count} times: add context, or set "all"`);
  return {text: parts.join(fresh), count, line: parts[0]!.split('\n').length};
}
