import {isWithin} from '../../system/is-within.ts';
import {adviceFor} from './advice.ts';
import {isInstallScript, shownChain} from './askers.ts';
import {isNeverAdvised} from './never-advised.ts';
import type {CountedViolation, RefusingSettings} from './refusal.ts';
import type {Setting} from './setting-advice.ts';
import {baseName} from '../../system/base-name.ts';

/** A refusal with its id. */
export interface Refused {
  readonly id: string;
  readonly violation: CountedViolation;
  /** The program continues without it. */
  readonly expected: boolean;
}

/** One config entry that would have allowed a refusal. */
export interface Proposal {
  readonly key: Setting['key'];
  readonly value: string;
  readonly ids: readonly string[];
  /** The programs that asked, as one line. */
  readonly chain: string;
  /** It does not exist. ion creates it before it stores the grant: a root that does not exist would stop every later run. */
  readonly makes?: 'folder' | 'file';
  /** A program to which it was refused is known to have failed. */
  readonly failed?: true;
  /** A warning. It puts the proposal into a second list, which "all" does not include. */
  readonly beware?: string;
}

export interface Proposals {
  readonly entries: readonly Proposal[];
  /** Refusals that no setting of this list allows, or that are never offered. */
  readonly left: readonly Refused[];
}

/** Facts about the machine that are not in the log. */
export interface ProposalInputs {
  readonly settings: RefusingSettings;
  readonly homes: readonly string[];
  readonly workspace: string;
  /** The real path. For a missing path, the real path of its nearest existing folder. */
  readonly realOf: (path: string) => string;
  readonly exists: (path: string) => boolean;
  readonly repositoryOf: (path: string) => string | undefined;
}

/**
 * The smallest settings that would have allowed the refusals. Never a secret, a system folder, `/` or a whole home.
 */
export function proposalsFor(refused: readonly Refused[], inputs: ProposalInputs): Proposals {
  const entries = new Map<string, Proposal>();
  const left: Refused[] = [];
  for (const one of refused) {
    const setting = settingFor(one, inputs);
    if (!setting) left.push(one);
    for (const value of setting ? [setting.value].flat() : []) {
      const {key} = setting!;
      const before = entries.get(`${key} ${value}`);
      const beware = before?.beware ?? whyBeware(one.violation, {key, value}, inputs);
      entries.set(`${key} ${value}`, {
        key,
        value,
        ids: [...(before?.ids ?? []), one.id],
        chain: before?.chain ?? shownChain(askedBy(one.violation)),
        ...(before?.failed || one.violation.failed ? {failed: true} : {}),
        ...(setting!.needs && !inputs.exists(value) ? {makes: setting!.needs} : {}),
        ...(beware === undefined ? {} : {beware}),
      });
    }
  }
  const all = [...entries.values()];
  return {entries: all.map((entry) => withBeware(entry, all)).toSorted(failedFirst), left};
}

/** First come the refusals whose program failed: the user most likely looks for these. */
function failedFirst(one: Proposal, other: Proposal): number {
  return Number(other.failed ?? false) - Number(one.failed ?? false);
}

/** A grant that contains an entry of the second list belongs there too. */
function withBeware(entry: Proposal, all: readonly Proposal[]): Proposal {
  const held = all.some(
    ({key, value, beware}) => beware !== undefined && key === entry.key && isWithin(value, entry.value),
  );
  return held && entry.beware === undefined
    ? {...entry, beware: 'it contains another entry of this list'}
    : entry;
}

const askedBy = ({asked, program}: CountedViolation): NonNullable<CountedViolation['asked']> =>
  asked && asked.chain.length > 0 ? asked : {chain: [baseName(program)], whole: false};

/** No setting for a path that the log redacted, or that leads to a path which is never advised. */
function settingFor({violation}: Refused, {settings, realOf}: ProposalInputs): Setting | undefined {
  const {setting} = adviceFor({kind: 'violation', violation, settings});
  if (!setting) return undefined;
  const access = setting.key === 'sandbox.write_roots' ? 'write' : 'read';
  const paths = setting.key.endsWith('_roots') ? [setting.value].flat() : [];
  const refuses = (path: string): boolean =>
    path.includes('[redacted]') || isNeverAdvised(realOf(path), access, settings.home);
  return paths.some(refuses) ? undefined : setting;
}

/** Letters that look the same in two alphabets: a Cyrillic "о" in "nоtes". */
function mixesAlphabets(path: string): boolean {
  return path
    .split(/[^\p{L}\p{M}]+/u)
    .some(
      (word) =>
        /\p{Script=Latin}/u.test(word) &&
        /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(word),
    );
}

function whyBeware(
  violation: CountedViolation,
  {key, value}: {readonly key: Setting['key']; readonly value: string},
  {homes, workspace, repositoryOf, realOf}: ProposalInputs,
): string | undefined {
  const asked = askedBy(violation);
  if (isInstallScript(asked)) return 'asked by a package that was being installed';
  if (!asked.whole) return 'it is not known which program asked for it';
  if (key === 'sandbox.unprotect') return 'programs outside the sandbox obey it';
  if (key === 'sandbox.unix_sockets') return 'its server is not confined';
  if (!key.endsWith('_roots')) return undefined;
  const paths = [value, realOf(value)];
  if (paths.some(mixesAlphabets)) return 'a name in it mixes alphabets: it may only look like another one';
  if (paths.some((path) => homes.some((home) => isWithin(path, home)))) return 'in a home folder';
  const other = repositoryOf(value);
  return other !== undefined && other !== workspace ? 'in another project' : undefined;
}
