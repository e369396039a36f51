import type {Analysis} from './analysis.ts';
import {newRun, stop, within, type Run} from './run.ts';
import {walkScript, walkText} from './walk.ts';

/** A longer command is not analysed: nobody types it, and every decision that depends on it is a denial. */
export const maxCommandLength = 1024 * 1024;

/**
 * What a bash command says: every simple command anywhere in it, through lists, substitutions, here-documents
 * and wrapper programs. Never throws: what could not be understood is in `problems` and `unknown`.
 */
export function analyze(command: string): Analysis {
  const run = newRun(command, {text: walkText, script: walkScript});
  const whole = {start: 0, end: command.length};
  if (command.length > maxCommandLength) {
    stop(run, `the command is longer than ${maxCommandLength} characters`, whole);
  } else if (command.includes('\0')) {
    stop(run, 'the command has a NUL character: bash would not see what follows it', whole);
  } else {
    walkText(run, {source: {text: command, start: 0, whole}, reach: [], wrappers: [], depth: 0});
    wakeDormant(run);
  }
  const {segments, redirections, constructs, problems, unknown} = run;
  return {text: command, segments, redirections, constructs, problems, unknown, opaque: unknown.length > 0};
}

/** `x='a[$(cmd)]'; echo $((x))`: what a variable holds is run where it is evaluated as a number or a prompt. */
function wakeDormant(run: Run): void {
  if (!run.evaluates && !run.constructs.has('arithmetic') && !run.constructs.has('test')) return;
  for (const {text, place} of run.dormant) {
    const source = {text, whole: place.source.whole};
    walkText(run, {...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true});
  }
}
