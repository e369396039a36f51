import type {ReadResult} from '../../tools/read-file.ts';
import type {EditResult, WriteResult} from '../../tools/change-file.ts';
import {withoutControls as oneLine} from '../../errors.ts';
import type {Match} from '../../tools/search-text.ts';
import {fileCall, type FileRequest} from './file-call.ts';
import {openFileWorker, type FileWorker} from './file-worker.ts';
import type {Serving} from './serving.ts';
import {textResult, type ToolResult} from './tool-result.ts';
import {flag, integer, object, reads, text, type Call, type Tool} from './tool-table.ts';

const pathText = 'absolute, or relative to the workspace';
const changes = {readOnlyHint: false, destructiveHint: true, openWorldHint: false} as const;

interface PathInput {
  readonly path?: string;
}

/** Tools for files. Each runs inside the sandbox of commands, in one worker that is started at the first call. */
export function fileTools(serving: Serving): Tool[] {
  let opened: Promise<FileWorker> | undefined;
  const worker = (): Promise<FileWorker> => {
    if (opened) return opened;
    opened = openFileWorker(serving.host, serving.flags);
    opened.catch(() => (opened = undefined));
    return opened;
  };
  serving.onClose(async () => (await opened?.catch(() => undefined))?.close());
  const carryOut = <I extends PathInput, R>(
    tool: FileRequest['tool'],
    show: (result: R, input: I) => ToolResult,
  ): Tool['call'] =>
    ((input: I, call: Call) =>
      serving.slots.run(call.signal, async () => {
        const {path = '.', ...request} = input;
        return fileCall(serving, await worker(), {tool, path, request}, call, (result) =>
          show(result, input),
        );
      })) as never;
  return [
    {
      name: 'read',
      title: 'Read a file',
      description:
        'Reads a text file with its line range, or an image. Other binary files are described by size and first bytes.',
      input: object({
        path: text(pathText),
        'offset?': integer('the first line, from 1', 1, 1_000_000_000),
        'limit?': integer('the number of lines, at most 2000', 1, 2000),
      }),
      hints: reads,
      call: carryOut('read', readResult),
    },
    {
      name: 'write',
      title: 'Write a file',
      description: 'Writes a whole file. It creates missing folders, and replaces what the file had.',
      input: object({
        path: text(pathText),
        content: text('the whole content'),
        'encoding?': {type: 'string', enum: ['utf8', 'base64'], description: 'of content; utf8 by default'},
      }),
      hints: {...changes, idempotentHint: true},
      call: carryOut('write', ({bytes, created}: WriteResult) =>
        textResult(`${created ? 'created' : 'wrote'}: ${bytes} bytes`, {bytes, created}),
      ),
    },
    {
      name: 'edit',
      title: 'Edit a file',
      description:
        'Replaces exact texts in a file. Each old text must occur exactly once, unless "all" is true. If one edit is not possible, none is made.',
      input: object({
        path: text(pathText),
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: object({
            old: text('the exact text, with its white space'),
            new: text('what replaces it'),
            'all?': flag('replace every occurrence'),
          }),
        },
      }),
      hints: changes,
      call: carryOut('edit', (result: EditResult) =>
        textResult(`${result.replacements} replaced, the first in line ${result.line}`, {...result}),
      ),
    },
    {
      name: 'glob',
      title: 'Find files',
      description:
        'Finds files by a pattern such as "src/**/*.ts", the most recently changed first. It obeys .gitignore.',
      input: object({
        pattern: text('relative to the folder'),
        'path?': text(`the folder, ${pathText}; by default the workspace`),
        'limit?': integer('at most this many', 1, 10_000),
      }),
      hints: reads,
      call: carryOut(
        'glob',
        ({files, total, truncated}: {files: string[]; total: number; truncated: boolean}) =>
          textResult(
            [...files, ...(truncated ? [`(${total} in all)`] : [])].map(oneLine).join('\n') || '(none)',
            {
              files,
              total,
              truncated,
            },
          ),
      ),
    },
    {
      name: 'grep',
      title: 'Search in files',
      description:
        'Searches file contents by a regular expression. It obeys .gitignore, and skips binary files.',
      input: object({
        pattern: text('a regular expression'),
        'path?': text(`a folder or a file, ${pathText}; by default the workspace`),
        'glob?': text('only files whose path matches, such as "*.ts"'),
        'ignore_case?': flag('ignore case'),
        'literal?': flag('the pattern is plain text'),
        'limit?': integer('at most this many lines', 1, 5000),
      }),
      hints: reads,
      call: carryOut('grep', ({matches, truncated}: {matches: Match[]; truncated: boolean}) =>
        textResult(
          matches.map(({path, line, text: found}) => `${oneLine(path)}:${line}:${found}`).join('\n') ||
            '(none)',
          {matches, truncated},
        ),
      ),
    },
    {
      name: 'ls',
      title: 'List a folder',
      description: 'Lists the entries of a folder.',
      input: object({
        'path?': text(`${pathText}; by default the workspace`),
        'limit?': integer('at most', 1, 10_000),
      }),
      hints: reads,
      call: carryOut('ls', ({entries, total, truncated}: ListResult) =>
        textResult(
          entries.map(({name, type}) => oneLine(type === 'folder' ? `${name}/` : name)).join('\n') ||
            '(empty)',
          {entries, total, truncated},
        ),
      ),
    },
  ];
}

interface ListResult {
  readonly entries: readonly {readonly name: string; readonly type: string; readonly bytes: number | null}[];
  readonly total: number;
  readonly truncated: boolean;
}

function readResult(result: ReadResult): ToolResult {
  switch (result.kind) {
    case 'text':
      return textResult(result.text, {...result});
    case 'image': {
      const {data, mime, bytes} = result;
      return {
        content: [{type: 'image', data, mimeType: mime}],
        structuredContent: {kind: 'image', mime, bytes},
      };
    }
    case 'binary':
      return textResult(`a binary file of ${result.bytes} bytes; it begins with ${result.head}`, {...result});
  }
}
