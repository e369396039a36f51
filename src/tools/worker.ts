import {editFile, writeFile, type EditRequest, type WriteRequest} from './change-file.ts';
import {findFiles, listFolder, type GlobRequest, type ListRequest} from './find-files.ts';
import {readFile, type ReadRequest} from './read-file.ts';
import {searchText, type GrepRequest} from './search-text.ts';
import {toolErrorOf} from './tool-error.ts';

/**
 * The program that carries out file tools. It runs inside the sandbox, with ion at the other end of its standard streams. It
 * gets one request a line, and answers each with a line.
 */

/** The operations, by name. Paths in requests are real paths. */
const operations: Readonly<Record<string, (request: never) => unknown>> = {
  read: (request: ReadRequest) => readFile(request),
  write: (request: WriteRequest) => writeFile(request),
  edit: (request: EditRequest) => editFile(request),
  glob: (request: GlobRequest) => findFiles(request),
  grep: (request: GrepRequest) => searchText(request),
  ls: (request: ListRequest) => listFolder(request),
};

async function answer(line: string): Promise<void> {
  const {id, operation, request} = JSON.parse(line) as {id: number; operation: string; request: never};
  let reply: object;
  try {
    reply = {id, result: await operations[operation]!(request)};
  } catch (error) {
    reply = {id, error: toolErrorOf(error)};
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text: string) => {
  // A request of many megabytes arrives in many parts.
  if (!text.includes('\n')) return void (rest += text);
  const lines = (rest + text).split('\n');
  rest = lines.pop()!;
  for (const line of lines) void answer(line);
});
// ion has gone.
process.stdin.on('end', () => process.exit(0)); // oxlint-disable-line unicorn/no-process-exit -- a program of its own
