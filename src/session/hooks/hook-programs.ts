import {constants} from 'node:fs';
import path from 'node:path';
import {mayAccess} from '../../system/may-access.ts';
import {locationOf} from '../../config/read/origin.ts';
import type {Hook} from '../../config/settings.ts';
import {IonError, quoted} from '../../errors.ts';
import {runFolderOf, type RunFolderKind, type RunFolders} from '../../sandbox/plan/run-folders.ts';
import type {Segment, Word} from '../../shell/analysis.ts';
import {analyze} from '../../shell/parse/analyze.ts';
import {wordPath, type Folders} from '../../shell/paths.ts';
import {expandPlaceholders, PlaceholderError} from './placeholders.ts';
import {realpathOrSame} from '../../system/real-path.ts';
import {baseName} from '../../system/base-name.ts';

export interface HookProgramInput {
  readonly folders: RunFolders;
  /** PATH of the hook. */
  readonly searchPath: string;
  readonly cwd: string;
  /** HOME of the hook. */
  readonly home: string;
}

/** Reports whether no file of a workspace, a temp folder or a write root may execute for this hook. */
export function guardsOrLeaves({event, sandbox}: Hook): boolean {
  return event === 'PreToolUse' || !sandbox;
}

/** Throws an IonError (125) if the value of a placeholder could run as code. */
export function refusePlaceholders({command, origin}: Hook): void {
  try {
    expandPlaceholders(command);
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    throw new IonError(`the hook ${quoted(command)} ${error.message}`, {
      at: locationOf(origin),
      help: 'write it as a separate word, or use "$ION_FILE" or "$ION_COMMAND", which bash expands itself',
    });
  }
}

/**
 * Throws an IonError (125) if the text of the hook names a file that a run or a project can write. This is for hooks that guard
 * or run outside the sandbox. The sandbox refuses the programs that such a program starts. Outside the sandbox this check is the
 * only one.
 */
export function refuseHookPrograms(hook: Hook, place: HookProgramInput): void {
  const folders: Folders = {cwd: place.cwd, home: place.home, workspace: place.cwd};
  const text = hook.command.replaceAll(/\$(?:CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/g, '$PWD');
  for (const segment of analyze(text).segments.filter(({guessed}) => !guessed)) {
    for (const named of programsOf(segment)) {
      const kind = lookAt(named, folders, place);
      if (kind) throw refusal(hook, named.word, `which is in ${kind}`);
    }
    const [program] = segment.argv;
    if (!hook.sandbox && program && !program.literal && wordPath(program, folders) === undefined)
      throw refusal(hook, program, 'which ion cannot resolve');
  }
}

function refusal({command, origin}: Hook, {raw}: Word, why: string): IonError {
  return new IonError(`the hook ${quoted(command)} runs ${quoted(raw)}, ${why}`, {
    at: locationOf(origin),
    help: 'move the program where no run can write, for example to ~/.ion/hooks, and name it by its absolute path',
  });
}

/** A file that is executed, or that an interpreter is told to run. */
interface Named {
  readonly word: Word;
  /** True if it is looked up on PATH. */
  readonly searched: boolean;
}

function lookAt(
  {word, searched}: Named,
  folders: Folders,
  place: HookProgramInput,
): RunFolderKind | undefined {
  const file = searched ? onPath(word.text, place.searchPath) : wordPath(word, folders);
  if (file === undefined) return undefined;
  const real = realpathOrSame(file);
  return runFolderOf(file, place.folders) ?? runFolderOf(real, place.folders);
}

function onPath(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(':')
    .map((folder) => path.join(folder, name))
    .find((file) => mayAccess(file, constants.X_OK));
}

interface Interpreter {
  readonly names: RegExp;
  /** Options after which the next operand is not a script. */
  readonly code?: RegExp;
  /** Options whose value is a file that is run. */
  readonly loads?: RegExp;
  /** Options with any other value. */
  readonly values?: RegExp;
}

const interpreters: readonly Interpreter[] = [
  {
    names: /^(?:ba|da|z|k|mk|a|fi|c|tc|ya)?sh$|^busybox$/,
    code: /^-[a-z]*c/,
    loads: /^--(?:rcfile|init-file)$/,
    values: /^[-+][a-zA-Z]*[oO]$/,
  },
  {names: /^(?:source|\.)$/},
  {names: /^(?:python|pypy)[\d.]*$/, code: /^-[a-zA-Z]*[cm]/, values: /^-[WX]$/},
  {names: /^perl[\d.]*$/, code: /^-[a-zA-Z0-9]*[eE]/, values: /^-[I]$/},
  {names: /^ruby[\d.]*$/, code: /^-[a-zA-Z0-9]*e/, loads: /^-r$/, values: /^-[IEC]$/},
  {
    names: /^(?:node|nodejs|bun|deno)$/,
    code: /^(?:-[pe]+|--eval|--print)(?:=|$)/,
    loads: /^(?:-r|--require|--import|--loader|--experimental-loader)$/,
    values: /^(?:-C|--conditions|--env-file)$/,
  },
  {names: /^(?:php|lua|luajit|tclsh|Rscript)[\d.]*$/, code: /^-[a-zA-Z]*[er]/},
  {names: /^[gmn]?awk$|^g?sed$/, loads: /^(?:-f|--file)$/, code: /^[^-]/},
];

/** The program of a segment. For an interpreter, also the files that it is told to run. */
function programsOf({argv}: Segment): Named[] {
  const [program, ...words] = argv;
  if (!program) return [];
  const interpreter = interpreters.find(({names}) => names.test(baseName(program.text)));
  const scripts = interpreter ? scriptsOf(interpreter, words) : [];
  return [
    {word: program, searched: program.literal && !program.text.includes('/')},
    ...scripts.map((word) => ({word, searched: false})),
  ];
}

function scriptsOf({code, loads, values}: Interpreter, words: readonly Word[]): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [option = '', value] = word.text.split(/=(.*)/s);
    if (loads?.test(option)) {
      const loaded = value === undefined ? words[++at] : {...word, text: value, raw: value};
      if (loaded) found.push(loaded);
    } else if (code?.test(word.text)) return found;
    else if (values?.test(word.text)) at++;
    else if (!/^[-+]./.test(word.text)) return [...found, word];
  }
  return found;
}
