import type {Analysis, Segment, Span, Word} from '../analysis.ts';
import type {DestructiveRow} from './destructive-row.ts';
import {destructiveRowsOf} from './destructive-table.ts';
import {destructiveNames} from '../known-names.ts';
import {isWithin} from '../../system/is-within.ts';
import {wordPath, type Folders} from '../paths.ts';
import {commandWords} from '../subcommands.ts';
import {baseName} from '../../system/base-name.ts';

export interface DestructiveFact {
  /** The row of the table that matched: the program, and which of its ways. */
  readonly row: string;
  readonly what: string;
  readonly impactScope: readonly string[];
  readonly outsideWorkspace: boolean;
  /** What everybody does in a workspace. */
  readonly isOrdinary: boolean;
  readonly rollbackAdvice: string;
  readonly span: Span;
}

/** A fact lists at most this many paths. */
const maxScope = 50;

/**
 * The irreversible effects of the command, with the things that they affect. Facts do not decide anything: ion shows and records
 * them.
 */
export function destructiveFacts(analysis: Analysis, folders: Folders): DestructiveFact[] {
  const facts: DestructiveFact[] = [];
  const seen = new Set<string>();
  for (const segment of analysis.segments) {
    for (const fact of factsOf(segment, folders)) {
      const key = `${fact.span.start} ${fact.what} ${fact.impactScope.join(' ')}`;
      if (!seen.has(key)) facts.push(fact);
      seen.add(key);
    }
  }
  return facts;
}

function factsOf(segment: Segment, folders: Folders): DestructiveFact[] {
  const facts: DestructiveFact[] = segment.wrappers.length > 0 ? [] : truncations(segment, folders);
  const [program] = segment.argv;
  if (!program) return facts;
  const name = baseName(program.text);
  const words = commandWords(segment.argv, name);
  const key = name.startsWith('mkfs.') ? 'mkfs' : name;
  const rows = destructiveNames.has(key) ? destructiveRowsOf(key) : [];
  for (const [index, row] of rows.entries()) {
    if (!row.when(words)) continue;
    const scope = scopeOf(row, words, segment, folders);
    const isOrdinary = !scope.outsideWorkspace && (row.isOrdinary?.(scope.impactScope, folders) ?? false);
    facts.push(fact(segment, `${key} ${index + 1}`, row, {...scope, isOrdinary}));
  }
  return facts;
}

interface Scope {
  readonly impactScope: string[];
  readonly outsideWorkspace: boolean;
}

function scopeOf(row: DestructiveRow, words: readonly Word[], segment: Segment, folders: Folders): Scope {
  const remote = segment.reach.includes('remote');
  const paths = row.paths?.(words) ?? [];
  const shown = paths.map((word) => (remote ? undefined : wordPath(word, folders)) ?? word.text);
  const outside = paths.some(
    (word, index) => !word.text.includes('://') && isOutside(shown[index]!, word, folders),
  );
  const fixed = row.scope ? [row.scope] : [];
  const unclear = segment.open ? ['what arrives on stdin or is found'] : [];
  const impactScope = [...fixed, ...shown, ...unclear].slice(0, maxScope);
  // Arguments from xargs may be anywhere. Paths that find found are below its start points.
  const anywhere = segment.open === true && !segment.wrappers.at(-1)?.startsWith('find');
  return {impactScope, outsideWorkspace: row.outside ?? (remote || outside || anywhere)};
}

/** An unknown path may be anywhere. */
function isOutside(path: string, word: Word, folders: Folders): boolean {
  return wordPath(word, folders) === undefined || !isWithin(path, folders.workspace);
}

function fact(
  {span}: Segment,
  name: string,
  {what, advice}: DestructiveRow,
  scope: Scope & Pick<DestructiveFact, 'isOrdinary'>,
): DestructiveFact {
  return {row: name, what, ...scope, rollbackAdvice: advice, span};
}

const harmless = /^\/dev\/(null|zero|full|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** `> file` empties the file before the command runs. */
function truncations(segment: Segment, folders: Folders): DestructiveFact[] {
  return segment.redirections.flatMap(({operator, writes, target, span}) => {
    if (!writes || !target || operator === '>>' || operator === '&>>' || operator === '<>') return [];
    const path = wordPath(target, folders);
    if (path !== undefined && harmless.test(path)) return [];
    const outsideWorkspace = path === undefined || !isWithin(path, folders.workspace);
    return [
      {
        row: 'redirection',
        what: 'empties a file by redirection',
        impactScope: [path ?? target.text],
        outsideWorkspace,
        isOrdinary: !outsideWorkspace,
        rollbackAdvice: 'git restore brings back a tracked file as it was committed; ">>" appends',
        span,
      },
    ];
  });
}
