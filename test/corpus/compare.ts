import {execaSync} from 'execa';
import {rmSync} from 'node:fs';
import {spawnAs} from '../harness/identity.ts';
import type {Ended} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {differences, filesOf, knownDifferences} from './changes.ts';
import {templateOf} from './projects.ts';
import type {Row} from './row.ts';
import {cacheOf, runInside, runOutside} from './run.ts';
import type {Setting} from './settings.ts';

/** The result of a comparison of inside and outside. `unexplained` and `explained for nothing` are failures. */
export type Verdict = 'same' | 'explained' | 'unexplained' | 'explained for nothing' | 'skipped';

export interface Compared {
  readonly row: Row;
  readonly verdict: Verdict;
  /** Why it may differ. */
  readonly whys: readonly string[];
  /** The differences, or the missing programs of a skipped row. */
  readonly details: readonly string[];
  readonly ms: number;
}

/** The result of one run. */
interface Result {
  readonly ended: Ended;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * A folder where rows run, one after another, outside and inside at the same path, because many tools record their path.
 */
export class Place {
  readonly #after: (() => void)[] = [];
  readonly #scratch: Scratch;
  readonly #setting: Setting;
  /** The unchanged project; rows in read mode share it. */
  #fresh: string | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#scratch = makeScratch({after: (done: () => void) => void this.#after.push(done)}, setting.as);
  }

  async compare(row: Row): Promise<Compared> {
    const startedAt = performance.now();
    const found = await this.#compare(row);
    return {row, ...found, ms: Math.round(performance.now() - startedAt)};
  }

  async #compare(row: Row): Promise<Pick<Compared, 'verdict' | 'whys' | 'details'>> {
    const outside = await this.#result(row, () => runOutside(row, this.#setting.as, this.#scratch));
    const inside = await this.#result(row, () => runInside(row, this.#setting, this.#scratch));
    return judge(row, this.#setting, describeDifference(row, outside, inside));
  }

  async #result(row: Row, run: () => Promise<Ended>): Promise<Result> {
    if (this.#fresh !== row.project) this.#layOut(row);
    this.#fresh = row.mode === 'read' ? row.project : undefined;
    const ended = await run();
    return {ended, files: row.mode === 'read' ? new Map<string, string>() : filesOf(this.#scratch.work)};
  }

  /** Copies the project as the user who runs the row. That user then owns the copy. */
  #layOut({project}: Row): void {
    const {work} = this.#scratch;
    rmSync(work, {recursive: true, force: true});
    const {as} = this.#setting;
    execaSync('cp', ['-a', '--reflink=auto', templateOf(project), work], spawnAs(as));
  }

  close(): void {
    for (const done of this.#after) done();
    rmSync(cacheOf(this.#scratch), {recursive: true, force: true});
  }
}

function describeDifference(row: Row, outside: Result, inside: Result): string[] {
  const varies = (what: 'stdout' | 'stderr' | 'files'): boolean => row.varies?.includes(what) ?? false;
  const streams = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const [a, b] = [plain(outside.ended[stream]), plain(inside.ended[stream])];
    const same = varies(stream) ? (a === '') === (b === '') : a === b;
    return same ? [] : [`${stream}: outside ${shown(a)}, inside ${shown(b)}`];
  });
  const codes = outside.ended.code === inside.ended.code && outside.ended.signal === inside.ended.signal;
  return [
    ...(codes
      ? []
      : [
          `exit: outside ${codeOf(outside.ended)}, inside ${codeOf(inside.ended)}: ${shown(plain(inside.ended.stderr))}`,
        ]),
    ...streams,
    ...differences(outside.files, inside.files, varies('files')),
  ];
}

const codeOf = ({code, signal}: Ended): string => String(signal ?? code);
const shown = (text: string): string => JSON.stringify(text.length > 600 ? `${text.slice(0, 600)}…` : text);

/** Removes what differs between any two runs: durations and process ids. */
function plain(text: string): string {
  return (
    text
      .replaceAll(/\d+(\.\d+)?\s?(ms|s|seconds?)\b/g, 'TIME')
      .replaceAll(/duration_ms \d+(\.\d+)?/g, 'duration_ms TIME')
      .replaceAll(/\bpid \d+/g, 'pid PID')
      // bash pads the number to five columns.
      .replaceAll(/(?<=line \d+:) +\d+(?= (Killed|Aborted|Terminated))/g, ' PID')
  );
}

function judge(
  {differs, where}: Row,
  {name}: Setting,
  all: readonly string[],
): Pick<Compared, 'verdict' | 'whys' | 'details'> {
  const details = all.filter((detail) => !knownDifferences.some(({line}) => line.test(detail)));
  const known = knownDifferences.filter(({line}) => all.some((detail) => line.test(detail)));
  const isExplained = differs !== undefined && (where?.includes(name) ?? true);
  const whys = [...known.map(({why}) => why), ...(isExplained ? [differs] : [])];
  if (details.length === 0 && isExplained) return {verdict: 'explained for nothing', whys, details};
  if (details.length > 0 && !isExplained) return {verdict: 'unexplained', whys, details};
  return {verdict: whys.length > 0 ? 'explained' : 'same', whys, details};
}
