import type {Analysis, Segment, Word} from '../analysis.ts';
import {embedded} from './embedded.ts';
import {newRun, stop, within, type Run} from './parse-run.ts';
import {settledNames, type Settled} from './settled.ts';
import {walkScript, walkText} from './walk.ts';

/** A longer command is not analysed: nobody types it, and every decision that depends on it is a denial. */
export const maxCommandLength = 1024 * 1024;

/** Values are put into what somebody types: it is read a second time. */
const maxSettledLength = 4096;

/**
 * What a bash command says: every simple command anywhere in it, through lists, substitutions, here-documents
 * and wrapper programs. Never throws: what could not be understood is in `problems` and `unknown`.
 */
export function analyze(command: string): Analysis {
  const {analysis, run} = look(command);
  const names = command.length > maxSettledLength ? undefined : settledNames(run.changes);
  return names && mayGain(analysis) ? {...analysis, settled: look(command, names).analysis} : analysis;
}

/** Is there anything that a known value could make clear? */
const mayGain = ({evaluated, segments}: Analysis): boolean =>
  evaluated.length > 0 || segments.some(({argv}) => argv.some(({literal}) => !literal));

function look(command: string, settled?: Settled): {readonly analysis: Analysis; readonly run: Run} {
  const run = newRun(command, {text: walkText, script: walkScript}, settled);
  const whole = {start: 0, end: command.length};
  if (command.length > maxCommandLength) {
    stop(run, `the command is longer than ${maxCommandLength} characters`, whole);
  } else if (command.includes('\0')) {
    stop(run, 'the command has a NUL character: bash would not see the text after it', whole);
  } else {
    walkText(run, {source: {text: command, start: 0, whole}, reach: [], wrappers: [], depth: 0});
    wakeDormant(run);
  }
  const {segments, redirections, constructs, problems, unknown, assigned, evaluated} = run;
  const opaque = unknown.length > 0;
  return {
    analysis: {
      text: command,
      segments,
      redirections,
      constructs,
      problems,
      unknown,
      opaque,
      assigned,
      evaluated,
    },
    run,
  };
}

/** Builtins that evaluate numbers and names, or make variables that are: `let x`, `declare -i x`, `read a[x]`. */
const evaluating = new Set(
  'let declare typeset local export readonly read readarray mapfile printf unset'.split(' '),
);

/** `x='a[$(cmd)]'; echo $((x))`: what a variable holds is run where it is evaluated as a number or a prompt. */
function wakeDormant(run: Run): void {
  const evaluates =
    run.evaluates ||
    (['arithmetic', 'test'] as const).some((construct) => run.constructs.has(construct)) ||
    run.segments.some(({argv}) => evaluating.has(argv[0]?.text ?? ''));
  if (!evaluates) return;
  const words = run.segments.flatMap(indexedWords).slice(0, maxIndexed);
  for (const {source, place} of run.dormant) {
    walkText(run, {...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true});
  }
  // Any other word may come to a variable: errors say nothing, since most never do.
  const before = run.problems.length;
  for (const {text, span} of words) {
    const source = {text: embedded(text) ?? '', whole: span};
    walkText(run, {source, reach: ['substitution'], wrappers: [], depth: 1, guessed: true});
  }
  if (!run.stopped) run.problems.length = before;
}

const maxIndexed = 100;

/** `read x <<< 'a[$(cmd)]'`, `set -- 'a[$(cmd)]'`, `printf -v x 'a[$(cmd)]'` */
function indexedWords({argv, redirections}: Segment): Word[] {
  const strings = redirections.flatMap(({operator, target}) =>
    operator === '<<<' && target ? [target] : [],
  );
  return [...argv, ...strings].filter(
    ({literal, text}) => literal && /\w\[[^\]]*(?:\$\(|`)/.test(text) && embedded(text) !== undefined,
  );
}
