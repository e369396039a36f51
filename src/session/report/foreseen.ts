import {quoted} from '../../errors.ts';
import {entryFor, matchesName} from '../../config/network/match-network.ts';
import {hasEntries, wordOf} from '../../config/network/network-table.ts';
import {shownOrigin} from '../../config/read/origin.ts';
import type {SandboxFacts} from '../../sandbox/facts.ts';
import type {Analysis} from '../../shell/analysis.ts';
import {isWithin} from '../../system/is-within.ts';
import {namedPaths} from '../../policy/paths/named-paths.ts';
import {namedPathsRefused, type NamedPathsInput} from './named-paths-refused.ts';
import {missedVariables} from './removed-variables.ts';
import type {Refusal} from './refusal.ts';
import {bySetting, helpOf} from './setting-advice.ts';
import {baseName} from '../../system/base-name.ts';

/** Programs that do little without a network. */
const networkPrograms = new Set(
  'curl wget ssh scp sftp rsync ftp telnet nc ncat socat dig host nslookup ping gh glab aws gcloud az kubectl'.split(
    ' ',
  ),
);
const remote =
  /(?:^|[\s"'=])((?:https?|ftps?|ssh|git|wss?):\/\/[^\s"'<>|;&)]+|[\w.-]+@[\w.-]+\.\w+:[^\s"']*)/;

export interface ForeseenInput {
  readonly analysis: Analysis;
  readonly text: string;
  readonly facts: Pick<SandboxFacts, 'network' | 'environmentRemoved' | 'protected'>;
  readonly paths: NamedPathsInput;
}

/**
 * For `ion check`: the refusals of the sandbox that the text of this command lets ion predict. The files and addresses that a
 * program opens by itself are unknown. Pure except for what `paths` looks up.
 */
export function foreseen({analysis, text, facts, paths}: ForeseenInput): Refusal[] {
  const needs =
    wordOf(facts.network) === 'none' && !hasEntries(facts.network) ? networkNeed(analysis, text) : undefined;
  const variables = missedVariables(text, facts.environmentRemoved);
  return [
    ...(needs === undefined
      ? []
      : [
          {
            kind: 'hint' as const,
            text: `${quoted(needs)} needs the network, which is closed`,
            help: helpOf(bySetting('sandbox.network', 'full')),
          },
        ]),
    ...nameRefused(text, facts.network),
    ...namedPathsRefused(analysis, paths),
    ...writesRefused(analysis, paths, [...facts.protected.existing, ...facts.protected.absent]),
    ...(variables.length > 0 ? [{kind: 'variables' as const, names: variables}] : []),
  ];
}

/** The name and port of the first URL in the text, and the entry of the network table for it. */
function namedTarget(text: string, network: SandboxFacts['network']) {
  const address = addressIn(text);
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (!hasEntries(network) || !url || url.hostname === '') return undefined;
  const name = url.hostname.toLowerCase();
  const port = url.port === '' ? (schemePorts[url.protocol] ?? 443) : Number(url.port);
  return {
    name,
    port,
    isWeb: schemePorts[url.protocol] !== undefined,
    denied: network.deny.find(({value}) => matchesName(value, name)),
    allowed: entryFor(network, {name, address: name, port}),
  };
}

/** A URL in the text whose name the network table does not allow. */
function nameRefused(text: string, network: SandboxFacts['network']): Refusal[] {
  const target = namedTarget(text, network);
  if (!target || target.allowed) return [];
  const {name, port, isWeb, denied} = target;
  if (denied) {
    const where = `sandbox.network.deny ${quoted(denied.value)} (${shownOrigin(denied.origin)})`;
    const help = 'remove the entry from sandbox.network.deny to allow it';
    return [{kind: 'hint', text: `${quoted(name)} is denied by ${where}`, help}];
  }
  const entry = isWeb ? `${name}${port === 443 ? '' : `:${port}`}` : `tcp://${name}:${port}`;
  return [
    {
      kind: 'hint',
      text: `${quoted(`${name}:${port}`)} is not on the network allow list`,
      help: helpOf(bySetting('sandbox.network.allow', [entry])),
    },
  ];
}

/** For `ion check`: the entry of the network table that allows the URL in the text, and where it is written. */
export function nameGranted(text: string, network: SandboxFacts['network']): string | undefined {
  const target = namedTarget(text, network);
  if (!target?.allowed) return undefined;
  const {name, port, allowed} = target;
  return `${quoted(`${name}:${port}`)} is allowed by sandbox.network.allow ${quoted(allowed.value)} (${shownOrigin(allowed.origin)})`;
}

const schemePorts: Readonly<Record<string, number>> = {'https:': 443, 'wss:': 443, 'http:': 80, 'ws:': 80};

/** Returns the first address in the text that belongs to another machine. */
export function addressIn(text: string): string | undefined {
  const address = remote.exec(text)?.[1];
  return address === undefined || /^\w+:\/\/(?:localhost|127\.|\[::1\])/.test(address) ? undefined : address;
}

/** The address or program in the text that needs the network. */
function networkNeed({segments}: Analysis, text: string): string | undefined {
  return (
    addressIn(text) ??
    segments
      .map(({argv}) => argv.map((word) => word.text))
      .find(([path = '', ...words]) => {
        const program = baseName(path);
        const asksHelp = words.every((word) => /^(?:--help|--version|-V|-h)$/.test(word));
        return (
          (networkPrograms.has(program) && !asksHelp) ||
          (program === 'git' && /^(?:clone|ls-remote)$/.test(words[0] ?? '') && !words.some(isPath))
        );
      })?.[0]
  );
}

const isPath = (word: string): boolean => /^(?:\.{0,2}\/|file:)/.test(word);

/** Refused targets of redirections. After a `cd`, only targets that do not depend on the folder. */
function writesRefused(
  analysis: Analysis,
  {cwd, home, writeRoots}: NamedPathsInput,
  protectedFiles: readonly string[],
): Refusal[] {
  const moves = analysis.segments.some(({argv}) => /^(?:cd|pushd|popd)$/.test(argv[0]?.text ?? ''));
  return (namedPaths(analysis, {cwd, home}) ?? [])
    .filter(({known, pattern, access}) => known && !pattern && access === 'write')
    .filter(({requested, path}) => !isWithin(path, '/dev') && (!moves || /^[/~]/.test(requested)))
    .flatMap(({requested, path}): Refusal[] => {
      const rule = !writeRoots.some((root) => isWithin(path, root))
        ? 'outside'
        : protectedFiles.some((file) => isWithin(path, file))
          ? 'protected'
          : undefined;
      return rule ? [{kind: 'named-path', rule, requested, path, home}] : [];
    });
}
