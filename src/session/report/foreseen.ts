import {quoted} from '../../errors.ts';
import {entryFor, matchesName} from '../../config/network/match-network.ts';
import {hasEntries, wordOf} from '../../config/network/network-table.ts';
import {shownOrigin} from '../../config/read/origin.ts';
import type {SandboxFacts} from '../../sandbox/facts.ts';
import type {Analysis, Segment} from '../../shell/analysis.ts';
import {commandWords, hasOption, operandsOf} from '../../shell/subcommands.ts';
import {isWithin} from '../../system/is-within.ts';
import {namedPaths} from '../../policy/paths/named-paths.ts';
import {certainHints} from './hints.ts';
import {namedPathsRefused, type NamedPath, type NamedPathsInput} from './named-paths-refused.ts';
import {missedVariables} from './removed-variables.ts';
import type {Refusal} from './refusal.ts';
import {bySetting, helpOf} from './setting-advice.ts';
import {baseName} from '../../system/base-name.ts';

/** Programs that do little without a network. */
const networkPrograms = new Set(
  'curl wget ssh scp sftp rsync ftp telnet nc ncat socat dig host nslookup gh glab aws gcloud az kubectl'.split(
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
  const isClosed = wordOf(facts.network) === 'none' && !hasEntries(facts.network);
  const needs = isClosed ? networkNeed(analysis, text, paths.remotes) : undefined;
  const variables = missedVariables(text, facts.environmentRemoved);
  return [
    ...(needs === undefined
      ? []
      : [
          {
            kind: 'hint' as const,
            text: needs,
            help: helpOf(bySetting('sandbox.network', 'full')),
          },
        ]),
    ...nameRefused(text, facts.network),
    ...certainHints(analysis.segments),
    ...pathsRefused(analysis, paths, [...facts.protected.existing, ...facts.protected.absent]),
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

/** What is read or written at paths that the text names. */
function pathsRefused(
  analysis: Analysis,
  paths: NamedPathsInput,
  protectedFiles: readonly string[],
): Refusal[] {
  const named = namedPathsRefused(analysis, paths);
  const known = new Set(named.map(({path}) => path));
  return [...named, ...writesRefused(analysis, paths, protectedFiles).filter(({path}) => !known.has(path))];
}

/** What in the text needs the network. */
function networkNeed(
  {segments}: Analysis,
  text: string,
  remotes: NamedPathsInput['remotes'],
): string | undefined {
  const address = addressIn(text);
  const needs = (what: string): string => `${quoted(what)} needs the network, which is closed`;
  if (address !== undefined) return needs(address);
  for (const {argv} of segments) {
    const [path = '', ...words] = argv.map((word) => word.text);
    const program = baseName(path);
    const asksHelp = words.every((word) => /^(?:--help|--version|-V|-h)$/.test(word));
    if (networkPrograms.has(program) && !asksHelp) return needs(path);
    const verb = commandWords(argv, program).find((word) => !word.text.startsWith('-'))?.text ?? '';
    const talks = verbs[program]?.test(verb) === true && !words.some((word) => isPath(word) || isLocal(word));
    if (talks && program === 'git' && remotes().length === 0) return needs(`git ${verb}`);
    if (talks && program !== 'git') return `${needs(`${program} ${verb}`)}, for what is not in its cache`;
  }
  return undefined;
}

/** Verbs with which a program does little else than to download or send. */
const verbs: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|ls-remote|fetch|pull|push)$/,
  npm: /^(?:install|i|ci|add|update|publish|audit|view|outdated)$/,
  pnpm: /^(?:install|i|add|update|publish|dlx|audit|outdated)$/,
  yarn: /^(?:install|add|upgrade|publish|dlx|audit|outdated)$/,
  npx: /^/,
  pip: /^(?:install|download)$/,
  pip3: /^(?:install|download)$/,
  cargo: /^(?:install|fetch|update|publish|search)$/,
  go: /^(?:get|install)$/,
};

const isPath = (word: string): boolean => /^(?:\.{1,2}$|\.{0,2}\/|file:)/.test(word);
const isLocal = (word: string): boolean => /^--(?:offline|no-index|find-links|frozen|dry-run)/.test(word);

/**
 * Refused targets of redirections, and of programs that write their operands. After a `cd`, only targets that do not depend on
 * the folder.
 */
function writesRefused(
  analysis: Analysis,
  {cwd, home, writeRoots}: NamedPathsInput,
  protectedFiles: readonly string[],
): NamedPath[] {
  const moves = analysis.segments.some(({argv}) => /^(?:cd|pushd|popd)$/.test(argv[0]?.text ?? ''));
  const written = new Set(analysis.segments.flatMap(operandsWritten));
  return (namedPaths(analysis, {cwd, home}) ?? [])
    .filter(
      ({known, pattern, access, span}) =>
        known && !pattern && (access === 'write' || written.has(span.start)),
    )
    .filter(({requested, path}) => !isWithin(path, '/dev') && (!moves || /^[/~]/.test(requested)))
    .flatMap(({requested, path}): NamedPath[] => {
      const rule = !writeRoots.some((root) => isWithin(path, root))
        ? 'outside'
        : protectedFiles.some((file) => isWithin(path, file))
          ? 'protected'
          : undefined;
      return rule ? [{kind: 'named-path', rule, requested, path, home}] : [];
    });
}

/** Programs that make or overwrite their operands: each of them, or the last. */
const writers: Readonly<Record<string, 'each' | 'last'>> = {
  mkdir: 'each',
  touch: 'each',
  tee: 'each',
  cp: 'last',
  mv: 'last',
  ln: 'last',
  install: 'last',
};

/** Where the words start that name what the program writes. With a folder or a reference in an option: none. */
function operandsWritten({argv: [program, ...words]}: Segment): number[] {
  const which = writers[baseName(program?.text ?? '')];
  const [short, long] = which === 'each' ? ['-r', '--reference'] : ['-t', '--target-directory'];
  if (which === undefined || hasOption(words, short!, long!)) return [];
  const operands = operandsOf(words);
  const chosen = which === 'each' ? operands : operands.slice(1).slice(-1);
  return chosen.map(({span}) => span.start);
}
