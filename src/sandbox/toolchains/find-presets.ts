import path from 'node:path';
import type {Preset} from './preset.ts';

export interface FoundPreset {
  readonly preset: Preset;
  /** A reason for the user: `npm is on PATH`. */
  readonly because: string;
}

export interface FindInput {
  /** The value of `sandbox.toolchains`. */
  readonly wanted: 'auto' | readonly string[];
  readonly presets: readonly Preset[];
  /** The folders that are searched for markers. */
  readonly tops: readonly string[];
  readonly searchPath: string;
  /** Returns which of these paths exist. */
  readonly exist: (paths: readonly string[]) => readonly boolean[];
}

/**
 * The presets for this place: named in the config, else by a program on PATH or a marker. Looks at names, walks
 * nothing.
 */
export function findPresets({wanted, presets, tops, searchPath, exist}: FindInput): FoundPreset[] {
  if (wanted !== 'auto') {
    return presets
      .filter(({name}) => wanted.includes(name))
      .map((preset) => ({preset, because: 'named in sandbox.toolchains'}));
  }
  const folders = programFolders(searchPath);
  const places = (names: readonly string[], where: readonly string[]): string[] =>
    names.flatMap((name) => where.map((folder) => `${folder}/${name}`));
  const candidates = presets.map((preset) => ({
    preset,
    programs: places(preset.programs, folders),
    markers: places(preset.markers, tops),
  }));
  const asked = candidates.flatMap(({programs, markers}) => [...programs, ...markers]);
  const answers = exist(asked);
  const isThere = new Set(asked.filter((_path, index) => answers[index]));
  return candidates.flatMap(({preset, programs, markers}) => {
    const program = programs.find((file) => isThere.has(file));
    if (program) return [{preset, because: `${path.basename(program)} is on PATH`}];
    const marker = markers.find((file) => isThere.has(file));
    return marker ? [{preset, because: `${path.basename(marker)} is here`}] : [];
  });
}

/** Each folder costs one look per program, so folders that never contain one are left out. */
function programFolders(searchPath: string): string[] {
  const folders = new Set(searchPath.split(':').filter((folder) => folder.startsWith('/')));
  if (folders.has('/usr/bin')) folders.delete('/bin');
  return [...folders].filter((folder) => !['sbin', 'games'].includes(path.basename(folder)));
}
