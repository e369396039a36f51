import {quoted} from '../../errors.ts';
import type {Violation} from '../../sandbox/violation.ts';
import type {DeniedPath} from '../../policy/paths/denied-paths.ts';
import {findDenied, holdsDenied} from '../../policy/paths/denied-paths.ts';
import type {PathMatcher} from '../../policy/decision.ts';
import {collapsed, fitted, type Size} from './fitted.ts';
import {adviceFor} from '../report/advice.ts';
import type {CountedViolation, Refusal, RefusingSettings} from '../report/refusal.ts';
import type {Setting} from '../report/setting-advice.ts';
import type {Terminal} from './terminal.ts';

/** The grant of one re-run, beyond the settings. Nothing of it is kept afterwards. */
export interface RerunGrant {
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  readonly unixSockets: readonly string[];
  readonly network: boolean;
  /** The write roots that do not exist yet. A yes creates them. */
  readonly makes?: readonly {readonly path: string; readonly kind: 'folder' | 'file'}[];
  /** The repository that contains the workspace. The whole of it becomes writable. */
  readonly repository?: string;
}

export interface RerunLimits {
  readonly exists: (path: string) => boolean;
  readonly settings: RefusingSettings;
  readonly denied: readonly DeniedPath[];
  readonly matchesPath?: PathMatcher;
}

type NamedPath = Extract<Refusal, {kind: 'named-path'}>;

/** Refusals for which a re-run may get what the advice proposes (report/advice.ts). */
const grantable: ReadonlySet<Violation['rule']> = new Set([
  'unreadable',
  'outside',
  'unix-socket',
  'unknown-socket',
  'network',
]);

/**
 * The grant that would have avoided all of these violations (approval = "on_failure"). Undefined if there is none:
 * for protected files, denied paths and commands, and for what advice never proposes. A grant for only some of them
 * is not offered, because the re-run would be stopped again.
 */
export function rerunGrant(
  refused: readonly (CountedViolation | NamedPath)[],
  limits: RerunLimits,
): RerunGrant | undefined {
  const given = refused.map((one) => {
    const refusal = isNamedPath(one)
      ? one
      : ({kind: 'violation', violation: one, settings: limits.settings} as const);
    return grantable.has(one.rule) ? adviceFor(refusal).setting : undefined;
  });
  const granted = given.filter((setting) => setting !== undefined);
  if (refused.length === 0 || granted.length < given.length) return undefined;
  const readRoots = pathsOf(granted, 'sandbox.read_roots');
  const writeRoots = pathsOf(granted, 'sandbox.write_roots');
  if ([...readRoots, ...writeRoots].some((path) => isDenied(path, limits))) return undefined;
  const makes = granted.flatMap(({needs: kind, value}) =>
    kind ? [value].flat().flatMap((path) => (limits.exists(path) ? [] : [{path, kind}])) : [],
  );
  const repository = granted.some(({key}) => key === 'sandbox.workspace')
    ? limits.settings.openableRepository
    : undefined;
  return {
    ...(repository === undefined ? {} : {repository}),
    ...(makes.length > 0 ? {makes} : {}),
    readRoots,
    writeRoots,
    unixSockets: pathsOf(granted, 'sandbox.unix_sockets'),
    network: granted.some(({key}) => key === 'sandbox.network'),
  };
}

/** A violation is an event of its own, which has a kind too. */
function isNamedPath(one: CountedViolation | NamedPath): one is NamedPath {
  return 'kind' in one && one.kind === 'named-path';
}

function pathsOf(granted: readonly Setting[], key: Setting['key']): string[] {
  return [...new Set(granted.filter((setting) => setting.key === key).flatMap(({value}) => value))];
}

function isDenied(folder: string, {denied, matchesPath}: RerunLimits): boolean {
  return Boolean(findDenied(folder, denied, matchesPath) ?? holdsDenied(folder, denied));
}

/** Asks whether to run once more with that grant: y or no. Nothing is remembered. */
export async function offerRerun(grant: RerunGrant, terminal: Terminal, timeoutMs: number): Promise<boolean> {
  const {line} = await terminal.readLine((size) => renderOffer(grant, size), timeoutMs, notYesOrNo);
  return isYes(line);
}

export function isYes(line: string | undefined): boolean {
  return /^y(?:es)?$/i.test(line?.trim() ?? '');
}

/** For a question with two answers: any other line is asked for again. */
export function notYesOrNo(line: string): string | undefined {
  return /^(?:y|yes|n|no|)$/i.test(line.trim())
    ? undefined
    : `ion: ${quoted(line.trim(), 40)} is not one of the answers\ny / N: `;
}

export function renderOffer(grant: RerunGrant, size: Size): string {
  const {readRoots, unixSockets, network, repository, makes = []} = grant;
  const writeRoots = [...(repository === undefined ? [] : [repository]), ...grant.writeRoots];
  const parts = [
    ...makes.map(({path, kind}) => `make the ${kind} ${quoted(collapsed(path), Infinity)}`),
    ...readRoots.map((path) => `read ${quoted(collapsed(path), Infinity)}`),
    ...writeRoots.map((root) =>
      makes.some(({path, kind}) => path === root && kind === 'file')
        ? `write ${quoted(collapsed(root), Infinity)}`
        : `write below ${quoted(collapsed(root), Infinity)}`,
    ),
    ...unixSockets.map((socket) => `connect to ${quoted(collapsed(socket), Infinity)}`),
    ...(network ? ['the whole network'] : []),
  ];
  return [
    'ion: the sandbox stopped this command; this grant, for one run, would allow it',
    ...fitted(parts, size, Math.floor(size.rows / 2)).rows,
    'Run it once more with that? y once / N no: ',
  ].join('\n');
}

/**
 * Asks whether to run as a write a command that was approved because it only reads: y or no. Nothing is remembered.
 */
export async function offerWrite(
  command: string,
  target: string,
  terminal: Terminal,
  timeoutMs: number,
): Promise<boolean> {
  const {line} = await terminal.readLine(
    (size) => renderWriteOffer(command, target, size),
    timeoutMs,
    notYesOrNo,
  );
  return isYes(line);
}

export function renderWriteOffer(command: string, target: string, size: Size): string {
  const parts = [quoted(collapsed(command), Infinity), `change ${quoted(collapsed(target), Infinity)}`];
  return [
    'ion: this command was approved because it only reads, but it tried to write',
    ...fitted(parts, size, Math.floor(size.rows / 2)).rows,
    'Run it once more, as a write? y once / N no: ',
  ].join('\n');
}
