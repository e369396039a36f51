import {quoted} from '../../errors.ts';
import type {Violation} from '../../sandbox/launch.ts';
import type {DeniedPath} from '../../policy/paths/denied-paths.ts';
import {findDenied, holdsDenied} from '../../policy/paths/denied-paths.ts';
import type {PathMatcher} from '../../policy/decision.ts';
import {components} from '../../policy/paths/path-components.ts';
import {isWithin} from '../../shell/paths.ts';
import {collapsed, fitted, type Size} from './fitted.ts';
import {isOfMachine} from '../report/machine-programs.ts';
import type {Terminal} from './terminal.ts';

/** What one re-run is given beyond the settings, and nothing is kept of it afterwards. */
export interface RerunGrant {
  readonly writeRoots: readonly string[];
  readonly unixSockets: readonly string[];
  readonly network: boolean;
}

export interface RerunLimits {
  readonly home: string;
  readonly denied: readonly DeniedPath[];
  readonly matchesPath?: PathMatcher;
}

/**
 * The grant with which none of these violations would have happened (approval = "on_failure"). Undefined where there
 * is none to give: for protected files, denied paths and commands, and for folders that are a home, a system, or hold
 * either. Part of a grant is none: the re-run would be stopped again.
 */
export function rerunGrant(violations: readonly Violation[], limits: RerunLimits): RerunGrant | undefined {
  if (violations.length === 0) return undefined;
  const writeRoots = new Set<string>();
  const unixSockets = new Set<string>();
  let network = false;
  for (const {rule, target} of violations) {
    if (rule === 'outside') {
      const folder = target.slice(0, target.lastIndexOf('/'));
      if (!mayBeGranted(folder, limits)) return undefined;
      writeRoots.add(folder);
    } else if (rule === 'unix-socket') {
      if (!target.startsWith('/')) return undefined;
      unixSockets.add(target);
    } else if (rule === 'network') {
      network = true;
    } else {
      return undefined;
    }
  }
  return {writeRoots: [...writeRoots], unixSockets: [...unixSockets], network};
}

const systemFolders =
  'bin boot dev etc lib lib32 lib64 proc run sbin sys usr System Library Applications'.split(' ');

function mayBeGranted(folder: string, {home, denied, matchesPath}: RerunLimits): boolean {
  const [top, second] = components(folder);
  if (top === undefined || second === undefined || systemFolders.includes(top) || isWithin(home, folder))
    return false;
  if (isOfMachine(folder)) return false;
  // Configuration and programs of the user: ~/.config, ~/.local/bin and the like start things outside.
  if (isWithin(folder, home) && components(folder.slice(home.length))[0]?.startsWith('.')) return false;
  return !findDenied(folder, denied, matchesPath) && !holdsDenied(folder, denied);
}

/** Ask whether to run once more with that grant: y or no, nothing is remembered. */
export async function offerRerun(grant: RerunGrant, terminal: Terminal, timeoutMs: number): Promise<boolean> {
  const {line} = await terminal.readLine((size) => renderOffer(grant, size), timeoutMs, notYesOrNo);
  return isYes(line);
}

export function isYes(line: string | undefined): boolean {
  return /^y(?:es)?$/i.test(line?.trim() ?? '');
}

/** Of a question with two answers: any other line is asked for again. */
export function notYesOrNo(line: string): string | undefined {
  return /^(?:y|yes|n|no|)$/i.test(line.trim())
    ? undefined
    : `ion: ${quoted(line.trim(), 40)} is not one of the answers\ny / N: `;
}

export function renderOffer({writeRoots, unixSockets, network}: RerunGrant, size: Size): string {
  const parts = [
    ...writeRoots.map((folder) => `write below ${quoted(collapsed(folder), Infinity)}`),
    ...unixSockets.map((socket) => `connect to ${quoted(collapsed(socket), Infinity)}`),
    ...(network ? ['the whole network'] : []),
  ];
  return [
    'ion: the sandbox stopped this command; with this grant, for one run, it would not',
    ...fitted(parts, size, Math.floor(size.rows / 2)).rows,
    'Run it once more with that? y once / N no: ',
  ].join('\n');
}

/** Ask whether to run a command as a write that was approved because it only reads: y or no, nothing is remembered. */
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
    'ion: this command was approved because it only reads, and tried to write',
    ...fitted(parts, size, Math.floor(size.rows / 2)).rows,
    'Run it once more, as a write? y once / N no: ',
  ].join('\n');
}
