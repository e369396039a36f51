import type {AutorunEvent, LeftBecause} from '../run-event.ts';
import {keysOf, type KeyChange} from './git-config/changed-keys.ts';

export function undone(
  config: string,
  forbidden: readonly KeyChange[],
  kept: string | undefined,
): AutorunEvent {
  return {kind: 'autorun', path: config, repair: {did: 'undone', keys: keysOf(forbidden), kept}};
}

export function unmerged(config: string, kept: string | undefined): AutorunEvent {
  return {kind: 'autorun', path: config, repair: {did: 'left', because: 'unmerged', kept}};
}

export function left(file: string, because: LeftBecause, keys?: readonly string[]): AutorunEvent {
  return {kind: 'autorun', path: file, repair: {did: 'left', because, keys}};
}
