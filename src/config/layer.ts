import type {LayerValues} from './keys.ts';
import type {LayerKind} from './settings.ts';

/** What one file says. */
export interface LayerContent {
  readonly values: LayerValues;
  /** The values as TOML gave them, to show those that are not taken. */
  readonly document: unknown;
}

/** One source of settings. */
export interface Layer extends LayerContent {
  readonly kind: LayerKind;
  /** Why this layer may only tighten; undefined = it may say anything. */
  readonly onlyTightens: Restriction | undefined;
  /** `--set key=value`: takes the place of what lies below, where the key's row lets it. */
  readonly replaces?: boolean;
}

export interface Restriction {
  readonly why: string;
  /** What the user can do about it. */
  readonly help: string;
  /**
   * `lapsed`: the file is what was trusted, and another one of the workspace is not: what its hooks and frames forbid goes on.
   * `bound`: a lock stands below it: its hooks run, and forbid.
   */
  readonly kind?: 'lapsed' | 'bound';
}
