import type {TouchedEvent} from '../launch.ts';

/** The files that the supervisor has seen the run reach for. */
export interface Touched {
  readonly paths: ReadonlySet<string>;
  /** One of those that are not among them, where there are too many. */
  readonly more: string | undefined;
}

/** More than the supervisor tells of what is watched and of what is new together (native/launcher/answer/files/write_rules.c). */
const mostPaths = 10_000;

/** Each kept once, and no more than ion can look at: a run makes names as fast as it likes. */
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
