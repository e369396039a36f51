import {spawn} from 'node:child_process';
import {closeSync, constants, existsSync, fstatSync, openSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {matcher} from './find-files.ts';
import {descriptorPath, openFolder, openJudged, regularFile} from './open-judged.ts';
import {ToolError} from './tool-error.ts';
import {walkFolder} from './walk-folder.ts';

export interface GrepRequest {
  readonly path: string;
  readonly pattern: string;
  /** Only files whose path matches. */
  readonly glob?: string;
  readonly ignore_case?: boolean;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  readonly limit?: number;
  /** Where a `ripgrep` is, if there is one. */
  readonly ripgrep?: string;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface GrepResult {
  readonly matches: readonly Match[];
  readonly truncated: boolean;
}

const maxFileBytes = 10 * 1024 * 1024;
const maxLineLength = 500;

/** Searches a folder, or one file. With ripgrep where it is installed, else by its own walk. Paths are relative to it. */
export async function searchText(request: GrepRequest): Promise<GrepResult> {
  const {limit = 500} = request;
  const folder = folderOrFile(request.path);
  if (folder !== undefined) {
    try {
      const root = descriptorPath(folder, request.path);
      return request.ripgrep !== undefined && existsSync(request.ripgrep)
        ? await byRipgrep(request, root, limit)
        : byWalk(request, root, limit);
    } finally {
      closeSync(folder);
    }
  }
  const file = openJudged(request.path, constants.O_RDONLY);
  try {
    regularFile(file);
    const collected: Match[] = [];
    const name = path.basename(request.path);
    collect(collected, name, textOf(file), expression(request), limit);
    return {matches: collected.slice(0, limit), truncated: collected.length > limit};
  } finally {
    closeSync(file);
  }
}

/** The open folder, or undefined for a file. */
function folderOrFile(file: string): number | undefined {
  try {
    return openFolder(file);
  } catch (error) {
    if ((error as {code?: string}).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function byRipgrep(request: GrepRequest, root: string, limit: number): Promise<GrepResult> {
  const {pattern, glob, ignore_case: ignoreCase, literal, ripgrep} = request;
  const args = [
    ...['--no-config', '--line-number', '--no-heading', '--with-filename', '--color=never', '--null'],
    ...['--sort=path', `--max-columns=${maxLineLength}`, '--max-columns-preview', '--max-filesize=10M'],
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(literal ? ['--fixed-strings'] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    ...[`--regexp=${pattern}`, '--', '.'],
  ];
  return new Promise((resolve, reject) => {
    // The child changes into the open folder before it loses the descriptor.
    const child = spawn(ripgrep!, args, {cwd: root, stdio: ['ignore', 'pipe', 'pipe']});
    const matches: Match[] = [];
    let [rest, problem] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const found = /^([^\0]*)\0(\d+):([^]*)$/.exec(line);
        if (found && matches.length <= limit)
          matches.push({path: found[1]!.replace(/^\.\//, ''), line: Number(found[2]), text: found[3]!});
      }
      if (matches.length > limit) child.kill();
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (problem = (problem + text).slice(0, 2000)));
    child.once('error', () => resolve(byWalk(request, root, limit)));
    child.once('close', (code) => {
      // 2 also means that a file could not be read.
      if (code === 2 && matches.length === 0 && /regex parse error|invalid|glob/i.test(problem))
        return reject(new ToolError('BAD_PATTERN', problem.trim()));
      resolve({matches: matches.slice(0, limit), truncated: matches.length > limit});
    });
  });
}

function byWalk(request: GrepRequest, root: string, limit: number): GrepResult {
  const wanted = request.glob === undefined ? undefined : matcher(request.glob);
  const search = expression(request);
  const matches: Match[] = [];
  for (const {path: name, entry} of walkFolder(root)) {
    if (!entry.isFile() || (wanted && !wanted(name) && !wanted(path.basename(name)))) continue;
    const text = textBelow(`${root}/${name}`);
    if (text !== undefined) collect(matches, name, text, search, limit);
    if (matches.length > limit) break;
  }
  return {matches: matches.slice(0, limit), truncated: matches.length > limit};
}

function expression({pattern, literal, ignore_case: ignoreCase}: GrepRequest): RegExp {
  const source = literal ? pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) : pattern;
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u');
  } catch (error) {
    throw new ToolError('BAD_PATTERN', (error as Error).message);
  }
}

function collect(
  matches: Match[],
  name: string,
  text: string | undefined,
  search: RegExp,
  limit: number,
): void {
  if (text === undefined) return;
  for (const [index, line] of text.split('\n').entries()) {
    if (matches.length > limit) return;
    if (search.test(line)) matches.push({path: name, line: index + 1, text: line.slice(0, maxLineLength)});
  }
}

function textBelow(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined; // closed to this run, as ripgrep leaves it out
  }
  try {
    return textOf(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function textOf(descriptor: number): string | undefined {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.size > maxFileBytes) return undefined;
  const bytes = readFileSync(descriptor);
  return bytes.subarray(0, 8192).includes(0) ? undefined : bytes.toString('utf8');
}
