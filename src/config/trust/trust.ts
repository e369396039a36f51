import {createHash} from 'node:crypto';

import path from 'node:path';
import {quoted, isIonError} from '../../errors.ts';
import type {ConfigRequest, Gathered} from '../read/gather.ts';
import {notTrusted, restriction} from '../read/restriction.ts';
import type {FoundLayer} from '../read/layers.ts';
import {describeOrigin} from '../read/origin.ts';
import {isPattern} from '../path-patterns.ts';
import {whyBound} from '../loosening.ts';
import {isProject} from '../raw.ts';
import type {Sourced, WorkspaceTrust} from '../settings.ts';
import {readSmallFile} from '../../system/small-file.ts';
import {readTrust, type TrustEntry} from './trust-store.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** Config file of the project, relative to the workspace → SHA-256 of its content. Undefined for a missing file. */
export type Fingerprint = ReadonlyMap<string, string | undefined>;

export function fingerprintOf({found, workspace}: Gathered): Fingerprint {
  return new Map(
    found.filter(isProject).map((layer) => [path.relative(workspace, layer.path), digestOf(layer)] as const),
  );
}

function digestOf({file}: FoundLayer): string | undefined {
  return file && sha256(file.text);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * One hash over all config files of the project, for ION_TRUST_PROJECT. It does not depend on where the project is
 * checked out.
 */
export function projectHash(fingerprint: Fingerprint): string {
  const present = [...fingerprint]
    .filter(([, digest]) => digest !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify(present));
}

/**
 * Decides whether this workspace is trusted with its current config. The fingerprint is of the same text that was
 * parsed, so the config cannot change between the two.
 */
export async function judgeTrust(
  gathered: Gathered,
  {env, uid, runs}: Pick<ConfigRequest, 'env' | 'uid' | 'runs'>,
): Promise<WorkspaceTrust> {
  const pinned = env['ION_TRUST_PROJECT']?.toLowerCase();
  // Anybody can compute the hash, and an .envrc or an agent's settings can set the variable. At a terminal, "ion
  // trust" asks the user instead.
  if (pinned && (runs === 'headless' || gathered.trustedEnvironment.includes(pinned)))
    return judgePin(pinned, gathered);
  const untrusted = pinned && runs ? notAtTerminal : notTrusted;
  const listed = await findTrustedPath(gathered, uid);
  if (listed) return {state: 'trusted', because: `trusted_paths, ${describeOrigin(listed.origin)}`};
  if (gathered.home === undefined) return untrusted;
  try {
    const entry = readTrust({home: gathered.home, uid}).get(gathered.workspace);
    return entry ? judgeEntry(entry, gathered) : untrusted;
  } catch (error) {
    // If the store cannot be read, nothing is trusted. The run continues, and reports this where it matters.
    if (isIonError(error)) return {...notTrusted, because: `trust is unknown: ${error.message}`};
    throw error;
  }
}

const notAtTerminal: WorkspaceTrust = {
  state: 'untrusted',
  because: 'ION_TRUST_PROJECT has no effect at a terminal',
};

function judgePin(pinned: string, gathered: Gathered): WorkspaceTrust {
  const fingerprint = fingerprintOf(gathered);
  const hash = projectHash(fingerprint);
  const because = 'ION_TRUST_PROJECT';
  if (pinned === hash) return {state: 'trusted', because};
  const newNames = newSincePin(pinned, fingerprint);
  if (newNames) {
    const why = `${because} is the hash of a config without it`;
    return {state: 'trusted', because, newcomers: newcomersOf(gathered, newNames, () => why)};
  }
  return {
    state: 'changed',
    because: 'ION_TRUST_PROJECT is the hash of another config',
    help: `read the file, then set ION_TRUST_PROJECT=${hash}`,
  };
}

/** With more files than this ion does not try their subsets. 12 files have 4,096. */
const maxTried = 12;

/** The files that were added to the pinned config. Undefined if the config is not the pinned one with files added. */
function newSincePin(pinned: string, fingerprint: Fingerprint): string[] | undefined {
  const present = [...fingerprint].filter(([, digest]) => digest !== undefined);
  if (present.length > maxTried) return undefined;
  // At least one file stays: the hash of no files is the same for every project.
  for (let without = 1; without < 2 ** present.length - 1; without++) {
    const isLeftOut = (index: number): boolean => ((without >> index) & 1) === 1;
    if (projectHash(new Map(present.filter((_, index) => !isLeftOut(index)))) === pinned)
      return present.filter((_, index) => isLeftOut(index)).map(([name]) => name);
  }
  return undefined;
}

/**
 * Judges each file by itself. A new file does not affect the others, but a missing file may have denied something.
 */
function judgeEntry({layers}: TrustEntry, gathered: Gathered): WorkspaceTrust {
  const same: string[] = [];
  const added: string[] = [];
  let broken: string | undefined;
  for (const [name, digest] of fingerprintOf(gathered)) {
    const trusted = Object.hasOwn(layers, name) ? layers[name] : undefined;
    if (trusted === digest) same.push(name);
    else if (trusted === undefined) added.push(name);
    else broken ??= `${quoted(name)} ${digest === undefined ? 'is gone' : 'changed'}`;
  }
  if (broken !== undefined) {
    const because = `${broken} since this workspace was trusted`;
    return {state: 'changed', because, unchanged: same.map((name) => path.join(gathered.workspace, name))};
  }
  const newcomers = newcomersOf(
    gathered,
    added,
    (name) => `${quoted(name)} is new since this workspace was trusted`,
  );
  return {state: 'trusted', because: '"ion trust"', ...(added.length > 0 ? {newcomers} : {})};
}

function newcomersOf(
  {workspace}: Gathered,
  names: readonly string[],
  why: (name: string) => string,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [path.join(workspace, name), why(name)]));
}

/** Only the user's own files can list trusted workspaces, so a project cannot list itself. */
async function findTrustedPath(gathered: Gathered, uid: number): Promise<Sourced<string> | undefined> {
  const {files, sets, lock, workspace} = gathered;
  const inFiles: readonly Sourced<string>[] = files
    .filter((file) => !isProject(file) && !restriction(file, {gathered, uid, untrusted: () => undefined}))
    .flatMap(({values}) => values['permissions.trusted_paths'] ?? []);
  const listed = whyBound('set', lock) ? inFiles : sets.reduce(withSet, inFiles);
  const plain = listed.find(({value}) => !isPattern(value) && realpathOrUndefined(value) === workspace);
  const patterns = listed.filter(({value}) => isPattern(value));
  if (plain || patterns.length === 0) return plain;
  const {matchesPath} = await import('../read/match-path.ts');
  return patterns.find(({value}) => matchesPath(value, workspace));
}

function withSet(
  listed: readonly Sourced<string>[],
  {values, replaces}: Gathered['sets'][number],
): readonly Sourced<string>[] {
  const given = values['permissions.trusted_paths'];
  return given === undefined ? listed : replaces ? given : [...given, ...listed];
}

/** The state of a trusted workspace. This works from any folder. `gone`: the folder no longer exists. */
export function stateOfEntry(
  workspace: string,
  layers: TrustEntry['layers'],
): 'trusted' | 'changed' | 'gone' {
  if (realpathOrUndefined(workspace) !== workspace) return 'gone';
  const folders = new Set(['.ion', ...Object.keys(layers).map((name) => path.dirname(name))]);
  const names = [...folders].flatMap((folder) => [`${folder}/config.local.toml`, `${folder}/config.toml`]);
  const same = names.every((name) => {
    const digest = digestOnDisk(workspace, name);
    return digest === (Object.hasOwn(layers, name) ? layers[name] : undefined);
  });
  return same ? 'trusted' : 'changed';
}

function digestOnDisk(workspace: string, name: string): string | undefined {
  try {
    const file = readSmallFile({path: path.join(workspace, name), shown: name, inside: workspace});
    return file && sha256(file.text);
  } catch {
    // An unreadable file does not count as the one that was trusted.
    return 'unreadable';
  }
}
