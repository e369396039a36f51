import {existsSync} from 'node:fs';
import path from 'node:path';
import {exitCodes, IonError, quoted, renderMessage} from '../../errors.ts';
import {gather, type ConfigRequest, type Gathered} from '../../config/read/gather.ts';
import {notTrusted} from '../../config/read/restriction.ts';
import {refuseLoosening} from '../../config/loosening.ts';
import {shownOrigin} from '../../config/read/origin.ts';
import {isProject} from '../../config/raw.ts';
import {join} from '../../config/read/resolve.ts';
import {difference, keptOf, linesOf, projectStatements} from '../../config/trust/statements.ts';
import type {Ignored} from '../../config/settings.ts';
import {
  fingerprintOf,
  judgeTrust,
  projectHash,
  stateOfEntry,
  type Fingerprint,
} from '../../config/trust/trust.ts';
import {changeTrust, readTrust, type StoreLocation, type TrustEntry} from '../../config/trust/trust-store.ts';
import {asJson, printed, type CliResult} from '../result.ts';

/** Asks the user to confirm the text. Undefined if there is no terminal to ask on. */
export type Confirm = (text: string) => Promise<boolean | undefined>;

export interface TrustOptions {
  readonly json: boolean;
  /** The hash of the config that the user read. Needed where there is no terminal. */
  readonly hash?: string;
  readonly confirm: Confirm;
}

/** `ion trust`: lets the current config of this workspace set anything. Shows what it sets, and asks. */
export async function runTrust(
  request: ConfigRequest,
  {json, hash: said, confirm}: TrustOptions,
): Promise<CliResult> {
  const gathered = await gather(request);
  refuseLoosening('ion trust', gathered.lock);
  const fingerprint = fingerprintOf(gathered);
  const place = storeLocation(request, gathered);
  const before = readTrust(place).get(gathered.workspace);
  const hash = projectHash(fingerprint);
  const trusted: Trusted = {
    gathered,
    fingerprint,
    hash,
    loosens: whatLoosens(gathered, request),
    before,
    says: projectStatements(gathered.files),
  };
  const refusal = isSame(trusted) ? undefined : await refusedBy(trusted, said, confirm, request.uid);
  if (refusal) return refusal;
  changeTrust(place, (entries) => {
    entries.set(gathered.workspace, {
      layers: layersOf(fingerprint, entries.get(gathered.workspace)),
      says: keptOf(trusted.says),
      since: new Date().toISOString(),
    });
  });
  return json ? trustJson(trusted) : printed(`trusted: ${renderTrust(trusted)}`);
}

function trustJson({gathered: {workspace}, fingerprint, hash, loosens, before, says}: Trusted): CliResult {
  return asJson({workspace, files: presentIn(fingerprint), hash, loosens, before, says});
}

/** Reports whether the workspace is already trusted in exactly this state. */
function isSame({fingerprint, before}: Trusted): boolean {
  if (!before) return false;
  const layers = layersOf(fingerprint, before);
  const names = Object.keys(layers);
  return (
    names.length === Object.keys(before.layers).length &&
    names.every((name) => layers[name] === before.layers[name])
  );
}

/**
 * ion trusts no config that the user has not seen. The user confirms at a terminal, or gives the hash of the config.
 */
async function refusedBy(
  trusted: Trusted,
  said: string | undefined,
  confirm: Confirm,
  uid: number,
): Promise<CliResult | undefined> {
  const {hash} = trusted;
  if (said === hash) return undefined;
  const help = `read the files, then run: ion trust ${hash}`;
  if (said !== undefined)
    throw new IonError(`${quoted(said)} is not the hash of this workspace's config`, {help});
  const listing = renderTrust(trusted, 'it would set');
  const answer = await confirm(`ion: trust this workspace?\n${listing}Trust it, as it is now? y / N: `);
  if (answer === true) return undefined;
  if (answer === undefined && presentIn(trusted.fingerprint).length === 0) return withoutFiles(trusted, uid);
  const text =
    answer === undefined
      ? 'nothing was trusted: there is no terminal to ask on'
      : 'nothing was trusted: the answer was no';
  return {
    exitCode: exitCodes.failed,
    stdout: answer === undefined ? listing : '',
    stderr: renderMessage(answer === undefined ? {text, help} : {text}),
  };
}

/** Refuses without a hash to copy: it would invite the user to trust what they have not read. */
function withoutFiles({gathered: {workspace, home}}: Trusted, uid: number): CliResult {
  const {stdout} = runTrusts({home, uid}, {json: false});
  return printed(`${quoted(workspace, 4096)} has no config files: there is nothing to trust here\n${stdout}`);
}

/**
 * The settings that the project's files would loosen if they were trusted. `now`: trust enables them. `never`: they stay ignored.
 */
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

/** Keeps the trusted files of other folders of the workspace: ion does not read these files from this folder. */
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

function renderTrust(
  {gathered, fingerprint, hash, loosens, before, says}: Trusted,
  may = 'it may now set',
): string {
  const files = presentIn(fingerprint);
  const changed = before ? difference(before.says, says) : {added: [], removed: []};
  const lines = [
    quoted(gathered.workspace, 4096),
    ...files.map(([name, digest]) => `  ${quoted(name)} ${digest.slice(0, 12)}`),
    ...(files.length === 0 ? ['  it has no config files; a file that is added later is not trusted'] : []),
    ...(loosens.now.length > 0 ? [`${may}:`, ...loosens.now.flatMap(loosening)] : []),
    ...(loosens.never.length > 0
      ? [
          'still ignored:',
          ...loosens.never.flatMap((one) => loosening(one).map((line) => `${line}: ${one.why}`)),
        ]
      : []),
    ...section('added since it was last trusted:', '+', changed.added),
    ...section('removed since it was last trusted:', '-', changed.removed),
    ...(files.length > 0 ? [`in CI, where nothing is stored: ION_TRUST_PROJECT=${hash}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * In full, one element per line. Otherwise a part that is cut off, or hidden behind twenty harmless ones, would be
 * trusted unseen.
 */
function loosening({key, written, origin}: Ignored): string[] {
  return linesOf(key, written).map((line) => `  ${line}  (${shownOrigin(origin)})`);
}

function section(title: string, sign: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${sign} ${line}`)];
}

/** `ion untrust [folder]`: the folder's config may again only tighten. */
export async function runUntrust(request: ConfigRequest, folder = '.'): Promise<CliResult> {
  const cwd = path.resolve(request.cwd, folder);
  const exists = existsSync(cwd);
  const gathered = await gather(exists ? {...request, cwd, repositoryTop: undefined} : request);
  // A workspace that was deleted is still in the store under its former path.
  const workspace = exists ? gathered.workspace : cwd;
  let was = false;
  changeTrust(storeLocation(request, gathered), (entries) => (was = entries.delete(workspace)));
  const stdout = `${was ? 'no longer trusted' : 'was not trusted'}: ${quoted(workspace, 4096)}\n`;
  const trust = exists ? await judgeTrust(gathered, request) : notTrusted;
  if (trust.state !== 'trusted') return printed(stdout);
  const text = `it is still trusted, by ${trust.because}`;
  return {exitCode: exitCodes.failed, stdout, stderr: renderMessage({text})};
}

/** `ion trusts`: every trusted workspace, and whether its config is unchanged. */
export function runTrusts(
  {home, uid}: {readonly home: string | undefined; readonly uid: number},
  options: {readonly json: boolean},
): CliResult {
  const workspaces = [...readTrust(storeLocation({uid}, {home}))].map(([workspace, {since, layers}]) => ({
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

function storeLocation(
  {uid}: {readonly uid: number},
  {home}: {readonly home: string | undefined},
): StoreLocation {
  if (home) return {home: path.resolve(home), uid};
  throw new IonError('HOME is not set, so ion has no folder to store trust in');
}
