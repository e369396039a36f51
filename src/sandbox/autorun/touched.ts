import type {TouchedEvent} from '../run-event.ts';

/** The files that the run may have changed, as the supervisor reported them. */
export interface Touched {
  readonly paths: ReadonlySet<string>;
  /** The first file that did not fit into the list. */
  readonly more: string | undefined;
}

/** More than the supervisor reports of watched and of new files in all (native/launcher/answer/files/write_rules.c). */
const mostPaths = 10_000;

/** Keeps each file once, and no more than ion can check: a run makes names without limit. */
export function collectTouched(): Touched & {add(event: TouchedEvent): void} {
  const paths = new Set<string>();
  let more: string | undefined;
  return {
    paths,
    get more() {
      return more;
    },
    add({kind, path}) {
      if (kind === 'touched' && (paths.size < mostPaths || paths.has(path))) paths.add(path);
      else more ??= path;
    },
  };
}
