import {shellWord} from '../../shell/quote.ts';
import {realpathOrSame} from '../../system/real-path.ts';
import type {Restriction} from '../layer.ts';
import {whyBound} from '../loosening.ts';
import {isProject} from '../raw.ts';
import type {LayerKind, Lock, WorkspaceTrust} from '../settings.ts';
import type {ParsedFile} from './layers.ts';
import {tomlString} from './render.ts';

export const notTrusted: WorkspaceTrust = {state: 'untrusted', because: 'this workspace is not trusted'};

/** Why a file of the project may only tighten. Undefined when it is trusted. */
export type Untrusted = (file: ParsedFile) => Restriction | undefined;

interface Judging {
  readonly gathered: {readonly lock: Lock | undefined; readonly trustedEnvironment: readonly string[]};
  readonly uid: number;
  readonly untrusted: Untrusted;
}

/** Why a file may only tighten. Undefined when it may set anything. */
export function restriction(file: ParsedFile, {gathered, uid, untrusted}: Judging): Restriction | undefined {
  const {kind} = file;
  const why = boundOrUnsafe(file, gathered.lock, uid);
  if (why || kind === 'config-flag') return why;
  if (isProject(file)) return untrusted(file);
  if (kind !== 'environment' || gathered.trustedEnvironment.includes(file.file.realPath)) return undefined;
  return {
    why: 'a file that ION_CONFIG names may only tighten',
    help: `for this run: --config ${shellWord(file.file.realPath)}; for all: permissions.trusted_environment = [${tomlString(file.file.realPath)}] in ~/.ion/config.toml`,
  };
}

/** The files of these kinds that may set anything. The kinds are not those of a project or of ION_CONFIG, which need trust. */
export function filesThatMayLoosen(
  files: readonly ParsedFile[],
  kinds: readonly LayerKind[],
  {lock, uid}: {readonly lock: Lock | undefined; readonly uid: number},
): ParsedFile[] {
  return files.filter((file) => kinds.includes(file.kind) && !boundOrUnsafe(file, lock, uid));
}

/** The files that permissions.trusted_environment names in the config of the user and the machine. */
export function trustedEnvironment(
  files: readonly ParsedFile[],
  judging: {readonly lock: Lock | undefined; readonly uid: number},
): string[] {
  return filesThatMayLoosen(files, ['user', 'machine'], judging)
    .flatMap(({values}) => values['permissions.trusted_environment'] ?? [])
    .map(({value}) => realpathOrSame(value));
}

/** The user chose a file that `--config` names, so its owner does not matter. */
function boundOrUnsafe(file: ParsedFile, lock: Lock | undefined, uid: number): Restriction | undefined {
  return whyBound(file.kind, lock) ?? (file.kind === 'config-flag' ? undefined : unsafe(file, uid));
}

/** Why another user could write the file. Undefined when none could. */
function unsafe({kind, shown, file}: ParsedFile, uid: number): Restriction | undefined {
  const mayOwn = kind === 'machine' ? [0] : kind === 'environment' ? [0, uid] : [uid];
  const stranger = [file.stats.uid, file.folderUid].find((owner) => !mayOwn.includes(owner));
  if (stranger !== undefined) {
    return {
      why: `it belongs to uid ${stranger}, not to ${kind === 'machine' ? 'root' : 'you'}`,
      help: 'the owner of a config file could change it after you read it',
    };
  }
  if (isProject({kind}) || (file.stats.mode & 0o002) === 0) return undefined;
  return {why: 'every user can write it', help: `chmod o-w ${shown}`};
}
