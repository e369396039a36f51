import {existsSync} from 'node:fs';
import path from 'node:path';
import type {Preset} from './preset.ts';

export interface FoundPreset {
  readonly preset: Preset;
  /** For people: `npm is on PATH`. */
  readonly because: string;
}

export interface FindInput {
  /** What `sandbox.toolchains` says. */
  readonly wanted: 'auto' | readonly string[];
  readonly presets: readonly Preset[];
  /** The folders that markers are looked for in. */
  readonly tops: readonly string[];
  readonly searchPath: string;
}

/** Presets that this place calls for: named in the config, else by a program on PATH or a marker. Looks at names, walks nothing. */
export function findPresets({wanted, presets, tops, searchPath}: FindInput): FoundPreset[] {
  if (wanted !== 'auto') {
    return presets
      .filter(({name}) => wanted.includes(name))
      .map((preset) => ({preset, because: 'named in sandbox.toolchains'}));
  }
  const folders = programFolders(searchPath);
  return presets.flatMap((preset) => {
    const program = preset.programs.find((name) => isIn(folders, name));
    if (program) return [{preset, because: `${program} is on PATH`}];
    const marker = preset.markers.find((name) => isIn(tops, name));
    return marker ? [{preset, because: `${marker} is here`}] : [];
  });
}

/** Each folder costs a look for each program: those that never hold one of these are left out. */
function programFolders(searchPath: string): string[] {
  const folders = new Set(searchPath.split(':').filter((folder) => folder.startsWith('/')));
  if (folders.has('/usr/bin')) folders.delete('/bin');
  return [...folders].filter((folder) => !['sbin', 'games'].includes(path.basename(folder)));
}

function isIn(folders: readonly string[], name: string): boolean {
  return folders.some((folder) => existsSync(`${folder}/${name}`));
}
