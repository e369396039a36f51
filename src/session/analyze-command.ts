import {accessSync, constants, existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import type {Analysis} from '../shell/analysis.ts';
import type {ShellCommand} from '../policy/decision.ts';
import {startedBy} from '../shell/known-names.ts';
import {storeFoldersOf} from './system-stores.ts';
import type {IsSilent} from '../system/silent-paths.ts';
import {isSimple, simpleAnalysis} from '../shell/parse/simple.ts';

/** The command as policy sees it: analysed, with the file behind each program that it names. */
export async function analyzeCommand(
  text: string,
  {cwd, environment, isSilent = () => false}: Seen,
): Promise<ShellCommand> {
  const words = isSimple(text);
  // The parser is 200 KB of code. A command of plain words does not need it.
  const analysis = words
    ? simpleAnalysis(text, words)
    : (await import('../shell/parse/analyze.ts')).analyze(text);
  const programs = resolvePrograms(analysis, {cwd, isSilent}, environment['PATH'] ?? '');
  const storeFolders = storeFoldersOf(programs.values(), cwd);
  return {text, analysis, programs, ...(storeFolders.length > 0 ? {storeFolders} : {})};
}

interface Seen {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isSilent?: IsSilent;
}

interface Place {
  readonly cwd: string;
  readonly isSilent: IsSilent;
}

function resolvePrograms(analysis: Analysis, place: Place, searchPath: string): Map<string, string | null> {
  const programs = new Map<string, string | null>();
  for (const {argv} of analysis.segments) {
    const program = argv[0];
    if (!program?.literal) continue;
    for (const text of [program.text, ...startedBy(argv)])
      if (!programs.has(text)) programs.set(text, resolveProgram(text, place, searchPath));
  }
  return programs;
}

function resolveProgram(name: string, {cwd, isSilent}: Place, searchPath: string): string | null {
  const folders = name.includes('/') ? [cwd] : searchPath.split(':');
  for (const folder of folders) {
    const file = path.resolve(cwd, folder, name);
    // existsSync first: throwing for each folder without the program would take a tenth of a run in a session.
    if (isSilent(file) || !existsSync(file)) continue;
    try {
      accessSync(file, constants.X_OK);
      return realpathSync.native(file);
    } catch {
      continue;
    }
  }
  return null;
}
