import {existsSync} from 'node:fs';
import path from 'node:path';
import {exitCodes, IonError, quoted, renderMessage} from '../errors.ts';
import {gather, notTrusted, type ConfigRequest, type Gathered} from '../config/gather.ts';
import {shownOrigin} from '../config/origin.ts';
import {isProject} from '../config/raw.ts';
import {join} from '../config/resolve.ts';
import {difference, keptOf, linesOf, projectSays} from '../config/says.ts';
import type {Ignored} from '../config/settings.ts';
import {fingerprintOf, judgeTrust, projectHash, stateOfEntry, type Fingerprint} from '../config/trust.ts';
import {changeTrust, readTrust, type StorePlace, type TrustEntry} from '../config/trust-store.ts';
import {asJson, printed, type CliResult} from './result.ts';

/** `ion trust`: let the config of this workspace say anything, as it is now. Shows what that is. */
export async function runTrust(
  request: ConfigRequest,
  options: {readonly json: boolean},
): Promise<CliResult> {
  const gathered = await gather(request);
  const fingerprint = fingerprintOf(gathered);
  const loosens = whatLoosens(gathered, request);
  const says = projectSays(gathered.files);
  let before: TrustEntry | undefined;
  changeTrust(storePlace(request, gathered), (entries) => {
    before = entries.get(gathered.workspace);
    entries.set(gathered.workspace, {
      layers: layersOf(fingerprint, before),
      says: keptOf(says),
      since: new Date().toISOString(),
    });
  });
  const hash = projectHash(fingerprint);
  if (options.json) {
    return asJson({
      workspace: gathered.workspace,
      files: presentIn(fingerprint),
      hash,
      loosens,
      before,
      says,
    });
  }
  return printed(renderTrust({gathered, fingerprint, hash, loosens, before, says}));
}

/** What its files would loosen, were they trusted: what is ignored when they are not. */
function whatLoosens(gathered: Gathered, request: ConfigRequest): {now: Ignored[]; never: Ignored[]} {
  const untrusted = join(gathered, request, notTrusted).ignored;
  const trusted = join(gathered, request, {state: 'trusted', because: ''}).ignored;
  const never = trusted.filter(({origin}) => isProject({kind: origin.layer}));
  const isNever = ({key, origin}: Ignored) =>
    never.some(
      (one) => one.key === key && one.origin.file === origin.file && one.origin.line === origin.line,
    );
  return {
    now: untrusted.filter((one) => isProject({kind: one.origin.layer}) && !isNever(one)),
    never,
  };
}

/** Files of other folders of the workspace stay trusted as they were: from here they can't be seen. */
function layersOf(fingerprint: Fingerprint, before: TrustEntry | undefined): Record<string, string> {
  const elsewhere = Object.entries(before?.layers ?? {}).filter(([name]) => !fingerprint.has(name));
  return Object.fromEntries([...elsewhere, ...presentIn(fingerprint)]);
}

function presentIn(fingerprint: Fingerprint): [string, string][] {
  return [...fingerprint].filter((entry): entry is [string, string] => entry[1] !== undefined);
}

interface Trusted {
  readonly gathered: Gathered;
  readonly fingerprint: Fingerprint;
  readonly hash: string;
  readonly loosens: {readonly now: readonly Ignored[]; readonly never: readonly Ignored[]};
  readonly before: TrustEntry | undefined;
  readonly says: readonly string[];
}

function renderTrust({gathered, fingerprint, hash, loosens, before, says}: Trusted): string {
  const files = presentIn(fingerprint);
  const changed = before ? difference(before.says, says) : {added: [], removed: []};
  const lines = [
    `trusted: ${quoted(gathered.workspace, 4096)}`,
    ...files.map(([name, digest]) => `  ${quoted(name)} ${digest.slice(0, 12)}`),
    ...(files.length === 0 ? ['  it has no config files; one that is added later is not trusted'] : []),
    ...(loosens.now.length > 0 ? ['from now on it may say:', ...loosens.now.flatMap(loosening)] : []),
    ...(loosens.never.length > 0
      ? [
          'still ignored:',
          ...loosens.never.flatMap((one) => loosening(one).map((line) => `${line}: ${one.why}`)),
        ]
      : []),
    ...section('new since it was trusted before:', '+', changed.added),
    ...section('gone since it was trusted before:', '-', changed.removed),
    ...(files.length > 0 ? [`where nothing is stored, as in CI: ION_TRUST_PROJECT=${hash}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Whole, and one element a line: what is cut off, or stands behind twenty harmless ones, would be trusted unseen. */
function loosening({key, written, origin}: Ignored): string[] {
  return linesOf(key, written).map((line) => `  ${line}  (${shownOrigin(origin)})`);
}

function section(title: string, sign: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${sign} ${line}`)];
}

/** `ion untrust [folder]`: its config may only tighten again. */
export async function runUntrust(request: ConfigRequest, folder = '.'): Promise<CliResult> {
  const cwd = path.resolve(request.cwd, folder);
  const exists = existsSync(cwd);
  const gathered = await gather(exists ? {...request, cwd, repositoryTop: undefined} : request);
  // One that was deleted is still in the store, under the name that it had.
  const workspace = exists ? gathered.workspace : cwd;
  let was = false;
  changeTrust(storePlace(request, gathered), (entries) => (was = entries.delete(workspace)));
  const stdout = `${was ? 'no longer trusted' : 'was not trusted'}: ${quoted(workspace, 4096)}\n`;
  const trust = exists ? await judgeTrust(gathered, request) : notTrusted;
  if (trust.state !== 'trusted') return printed(stdout);
  const text = `it is still trusted, by ${trust.because}`;
  return {exitCode: exitCodes.failed, stdout, stderr: renderMessage({text})};
}

/** `ion trusts`: every trusted workspace, and whether its config is still the one that was trusted. */
export function runTrusts(
  {home, uid}: {readonly home: string | undefined; readonly uid: number},
  options: {readonly json: boolean},
): CliResult {
  const workspaces = [...readTrust(storePlace({uid}, {home}))].map(([workspace, {since, layers}]) => ({
    workspace,
    state: stateOfEntry(workspace, layers),
    since,
    files: layers,
  }));
  if (options.json) return asJson(workspaces);
  if (workspaces.length === 0) return printed('no workspace is trusted\n');
  return printed(
    workspaces
      .map(({workspace, state, since}) => `${state.padEnd(7)}  ${since}  ${quoted(workspace, 4096)}\n`)
      .join(''),
  );
}

function storePlace({uid}: {readonly uid: number}, {home}: {readonly home: string | undefined}): StorePlace {
  if (home) return {home: path.resolve(home), uid};
  throw new IonError('HOME is not set, so there is no place to keep trust');
}
