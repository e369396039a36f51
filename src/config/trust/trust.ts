import {createHash} from 'node:crypto';

import path from 'node:path';
import {quoted, isIonError} from '../../errors.ts';
import {notTrusted, restriction, type ConfigRequest, type Gathered} from '../read/gather.ts';
import type {FoundLayer} from '../read/layers.ts';
import {describeOrigin} from '../read/origin.ts';
import {isPattern} from '../path-patterns.ts';
import {whyBound} from '../loosening.ts';
import {isProject} from '../raw.ts';
import type {Sourced, WorkspaceTrust} from '../settings.ts';
import {readSmallFile} from '../../system/small-file.ts';
import {readTrust, type TrustEntry} from './trust-store.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** Config file of the project, relative to the workspace → SHA-256 of its content; undefined where there is none. */
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

/** One hash over all config files of the project, for ION_TRUST_PROJECT: the same wherever it is checked out. */
export function projectHash(fingerprint: Fingerprint): string {
  const present = [...fingerprint]
    .filter(([, digest]) => digest !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify(present));
}

/**
 * Is this workspace trusted, with the config that it has now? What was read is what is judged: the fingerprint is
 * of the very text that was parsed.
 */
export async function judgeTrust(
  gathered: Gathered,
  {env, uid, runs}: Pick<ConfigRequest, 'env' | 'uid' | 'runs'>,
): Promise<WorkspaceTrust> {
  const pinned = env['ION_TRUST_PROJECT']?.toLowerCase();
  // Anybody can compute the hash, and an .envrc or an agent's settings can set the variable. Where a person is, "ion trust" asks.
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
    // A store that can't be read trusts nothing. The run goes on, and says so where it matters.
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

/** More files than this are not tried: their subsets are 4,096. */
const maxTried = 12;

/** The files without which the config is the pinned one; undefined when it is not. */
function newSincePin(pinned: string, fingerprint: Fingerprint): string[] | undefined {
  const present = [...fingerprint].filter(([, digest]) => digest !== undefined);
  if (present.length > maxTried) return undefined;
  // At least one stays: the hash of no file at all would be everybody's.
  for (let without = 1; without < 2 ** present.length - 1; without++) {
    const isLeftOut = (index: number): boolean => ((without >> index) & 1) === 1;
    if (projectHash(new Map(present.filter((_, index) => !isLeftOut(index)))) === pinned)
      return present.filter((_, index) => isLeftOut(index)).map(([name]) => name);
  }
  return undefined;
}

/** Each file for itself: one that is new says nothing about the others, and one that is gone may have forbidden something. */
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

/** Only the user's own files say which workspaces are trusted: no project can list itself. */
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

/** What has become of a trusted workspace, seen from anywhere. `gone`: the folder is no more. */
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
    // It can't be read: then it is not what was trusted.
    return 'unreadable';
  }
}
