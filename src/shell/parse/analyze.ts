import type {Analysis, Segment, Word} from '../analysis.ts';
import {embedded} from './embedded.ts';
import {newRun, stop, within, type Run} from './parse-run.ts';
import {knownVariables, type KnownVariables} from './known-variables.ts';
import {walkScript, walkText} from './walk.ts';

/** Longer commands are not analysed. No person types them, and every decision that depends on one is a denial. */
export const maxCommandLength = 1024 * 1024;

/** Commands up to this length are analysed a second time, with known values of variables. */
const maxSecondAnalysisLength = 4096;

/**
 * Analyses a bash command: finds every simple command in it, through lists, substitutions, here-documents and wrapper programs.
 * Never throws: `problems` and `unknown` list the parts that it could not read.
 */
export function analyze(command: string): Analysis {
  const {analysis, run} = look(command);
  const names = command.length > maxSecondAnalysisLength ? undefined : knownVariables(run.changes);
  return names && mayGain(analysis) ? {...analysis, withValues: look(command, names).analysis} : analysis;
}

/** Reports whether known values of variables could make the analysis more precise. */
const mayGain = ({evaluated, segments}: Analysis): boolean =>
  evaluated.length > 0 || segments.some(({argv}) => argv.some(({literal}) => !literal));

function look(command: string, names?: KnownVariables): {readonly analysis: Analysis; readonly run: Run} {
  const run = newRun(command, {text: walkText, script: walkScript}, names);
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

/** Builtins that evaluate numbers and names, or declare variables that do: `let x`, `declare -i x`, `read a[x]`. */
const evaluating = new Set(
  'let declare typeset local export readonly read readarray mapfile printf unset'.split(' '),
);

/**
 * `x='a[$(cmd)]'; echo $((x))`: bash runs substitutions in a variable's value when it evaluates the variable as a number or
 * a prompt.
 */
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
  // Any of these words may become the value of a variable. Most never do, so their parse errors do not count.
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
