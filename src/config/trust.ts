import {createHash} from 'node:crypto';
import {realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {notTrusted, restriction, type ConfigRequest, type Gathered} from './gather.ts';
import type {FoundLayer} from './layers.ts';
import {describeOrigin} from './origin.ts';
import {isPattern} from './path-patterns.ts';
import {isProject} from './raw.ts';
import type {Sourced, WorkspaceTrust} from './settings.ts';
import {readSmallFile} from './read.ts';
import {readTrust, type TrustEntry} from './trust-store.ts';

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
  {env, uid}: Pick<ConfigRequest, 'env' | 'uid'>,
): Promise<WorkspaceTrust> {
  const pinned = env['ION_TRUST_PROJECT'];
  if (pinned) return judgePin(pinned, projectHash(fingerprintOf(gathered)));
  const listed = await findTrustedPath(gathered, uid);
  if (listed) return {state: 'trusted', because: `trusted_paths, ${describeOrigin(listed.origin)}`};
  if (gathered.home === undefined) return notTrusted;
  try {
    const entry = readTrust({home: gathered.home, uid}).get(gathered.workspace);
    return entry ? judgeEntry(entry, fingerprintOf(gathered)) : notTrusted;
  } catch (error) {
    // A store that can't be read trusts nothing. The run goes on, and says so where it matters.
    if (error instanceof IonError) return {...notTrusted, because: `trust is unknown: ${error.message}`};
    throw error;
  }
}

function judgePin(pinned: string, hash: string): WorkspaceTrust {
  if (pinned.toLowerCase() === hash) return {state: 'trusted', because: 'ION_TRUST_PROJECT'};
  return {
    state: 'changed',
    because: 'ION_TRUST_PROJECT is the hash of another config',
    help: `read the file, then set ION_TRUST_PROJECT=${hash}`,
  };
}

/** Every file has to be what it was, and one that is gone may have been the one that forbade something. */
function judgeEntry(entry: TrustEntry, fingerprint: Fingerprint): WorkspaceTrust {
  for (const [name, digest] of fingerprint) {
    const trusted = Object.hasOwn(entry.layers, name) ? entry.layers[name] : undefined;
    if (trusted === digest) continue;
    const what = trusted === undefined ? 'is new' : digest === undefined ? 'is gone' : 'changed';
    return {state: 'changed', because: `${quoted(name)} ${what} since this workspace was trusted`};
  }
  return {state: 'trusted', because: '"ion trust"'};
}

/** Only the user's own files say which workspaces are trusted: no project can list itself. */
async function findTrustedPath(
  {files, workspace}: Gathered,
  uid: number,
): Promise<Sourced<string> | undefined> {
  const listed = files
    .filter((file) => !isProject(file) && restriction(file, uid, undefined) === undefined)
    .flatMap(({values}) => values['permissions.trusted_paths'] ?? []);
  const plain = listed.find(({value}) => !isPattern(value) && realPath(value) === workspace);
  const patterns = listed.filter(({value}) => isPattern(value));
  if (plain || patterns.length === 0) return plain;
  const {matchesPath} = await import('./match-path.ts');
  return patterns.find(({value}) => matchesPath(value, workspace));
}

function realPath(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

/** What has become of a trusted workspace, seen from anywhere. `gone`: the folder is no more. */
export function stateOfEntry(
  workspace: string,
  layers: TrustEntry['layers'],
): 'trusted' | 'changed' | 'gone' {
  if (realPath(workspace) !== workspace) return 'gone';
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
