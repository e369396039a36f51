import {visible, type SourceLocation} from '../../errors.ts';
import type {Origin} from '../settings.ts';

/** For the ` --> ` line of a message. Undefined for flags and defaults. */
export function locationOf({file, line}: Origin): SourceLocation | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? {file} : {file, line};
}

/** `~/.ion/config.toml:3`, `command line` or `default`. */
export function describeOrigin({layer, file, line}: Origin): string {
  if (file === undefined) return layer === 'flag' ? 'command line' : layer;
  return line === undefined ? file : `${file}:${line}`;
}

/** The same, safe to display: a folder's name may hold any characters, and must not start a new line. */
export function shownOrigin(origin: Origin): string {
  return visible(describeOrigin(origin));
}
