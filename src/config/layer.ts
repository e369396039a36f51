import type {LayerValues} from './keys.ts';
import type {LayerKind, Sourced} from './settings.ts';

/** The content of one file. */
export interface LayerContent {
  readonly values: LayerValues;
  /** The values as TOML gave them, to show the ignored ones. */
  readonly document: unknown;
  /** The tables `[mcp.<name>]`, by the server's normal name. Absent if there are none. */
  readonly servers?: Readonly<Record<string, ServerSection>> | undefined;
}

/** The settings of a layer for one MCP server. Its values have the keys of the config. */
export interface ServerSection extends Omit<LayerContent, 'servers'> {
  /** The name as it is written. */
  readonly name: string;
  readonly passUnknown?: Sourced<boolean>;
}

/** One source of settings. */
export interface Layer extends LayerContent {
  readonly kind: LayerKind;
  /** Why this layer may only tighten. Undefined: it may set anything. */
  readonly onlyTightens: Restriction | undefined;
  /** `--set key=value`: replaces the lower layers where the key's join row allows it. */
  readonly replaces?: boolean;
  /** Set for the section of a server: its name. */
  readonly section?: string;
}

export interface Restriction {
  readonly why: string;
  /** What the user can do about it. */
  readonly help: string;
  /**
   * `lapsed`: the file itself is unchanged since it was trusted, but another file of the workspace is not. Its hooks and frames
   * still deny. `bound`: a lower layer has a lock. Hooks of this layer run, and may deny.
   */
  readonly kind?: 'lapsed' | 'bound';
}
