import {whyBound} from '../loosening.ts';
import {expandPresets} from '../network/presets/expand-presets.ts';
import type {Lock} from '../settings.ts';
import type {ParsedFile} from './layers.ts';
import {filesThatMayLoosen} from './restriction.ts';
import type {SetContent} from './set-layer.ts';
import {tempFolders, writeRootsIn} from './writable-folders.ts';

/** The layers that are read: highest first the files, in their order the arguments of `--set`. */
export interface Content {
  readonly files: readonly ParsedFile[];
  readonly sets: readonly SetContent[];
}

export interface Surrounding {
  readonly home: string | undefined;
  readonly cwd: string;
  readonly workspace: string;
  readonly lock: Lock | undefined;
  readonly uid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Puts the hosts of presets (`preset:npm`) into every layer. */
export function expandAll(
  {files, sets}: Content,
  {home, cwd, workspace, lock, uid, env}: Surrounding,
): Content {
  const trusted = filesThatMayLoosen(files, ['machine', 'user', 'config-flag'], {lock, uid});
  const setting = [...trusted.toReversed(), ...(whyBound('set', lock) ? [] : sets)];
  const variables = setting.flatMap(({values}) => Object.entries(values['environment.set'] ?? {}));
  const where = {
    home,
    root: '',
    uid,
    node: process.execPath,
    writable: [workspace, cwd, ...tempFolders(env['TMPDIR']), ...writeRootsIn([...files, ...sets])],
    environment: Object.fromEntries(variables.map(([name, {value}]) => [name, value])),
  };
  return {
    files: files.map((file) => expandPresets(file, where)),
    sets: sets.map((set) => expandPresets(set, where)),
  };
}
