import type {RunFlags} from './run-flags.ts';

const folder = {flag: '-C', key: 'C', takes: '<folder>', about: 'start in this folder'} as const;
const color = {
  flag: '--color',
  key: 'color',
  takes: '<when>',
  about: "colour ion's own lines: auto, always or never",
} as const;

/** The options of `ion run`. commander gets the same table. */
export const runOptions = [
  {flag: '--read', key: 'read', value: true, about: 'read mode: run only safe commands, write nothing'},
  {
    flag: '--no-sandbox',
    key: 'sandbox',
    value: false,
    about: 'turn off the sandbox and path checks (deny_commands and guardrails stay)',
  },
  {
    flag: '--timeout',
    key: 'timeout',
    takes: '<time>',
    about: 'kill the command and everything it started after this time ("30s", "10m")',
  },
  {
    flag: '--config',
    key: 'config',
    takes: '<file>',
    about: 'use this config file, above the project and user files',
  },
  {
    flag: '--set',
    key: 'set',
    takes: '<key=value>',
    repeats: true,
    about: 'set one key for this run (sandbox.network=full); += adds to a list',
  },
  {
    flag: '--events',
    key: 'events',
    takes: '<target>',
    about: 'write events as JSON Lines to a file, or to fd:N',
  },
  {
    flag: '--json',
    key: 'json',
    value: true,
    about: 'print the result as one JSON object in the last line of stderr',
  },
  {flag: '--explain', key: 'explain', value: true, about: 'report refused reads too'},
  folder,
  color,
] as const;

/** The options of `ion check`. commander gets the same table. */
export const checkOptions = [
  {flag: '--read', key: 'read', value: true, about: 'decide as read mode would'},
  {
    flag: '--tool',
    key: 'tool',
    takes: '<name>',
    about: 'a tool other than bash: read, write, edit, delete, glob, grep, ls, fetch, mcp:<server>/<tool>',
  },
  {
    flag: '--config',
    key: 'config',
    takes: '<file>',
    about: 'use this config file, above the project and user files',
  },
  {
    flag: '--set',
    key: 'set',
    takes: '<key=value>',
    repeats: true,
    about: 'set one key, as for "ion run"',
  },
  {flag: '--json', key: 'json', value: true, about: 'print the decision as JSON on stdout'},
  folder,
  color,
] as const;

/** The commands that are parsed without commander, with the options that commander sets when they are not given. */
const verbs = {
  run: {table: runOptions, unset: {sandbox: true}},
  check: {table: checkOptions, unset: {}},
} as const;

type Option = (typeof runOptions)[number] | (typeof checkOptions)[number];

export interface FastCommand {
  readonly verb: keyof typeof verbs;
  readonly words: readonly string[];
  readonly argv: boolean;
  readonly options: RunFlags;
  /** From `ion -C folder run`. */
  readonly folder: string | undefined;
}

/**
 * Parses `ion run` and `ion check` in their common forms without loading commander, which takes 4 ms of a start. Undefined for
 * anything else, wrong usage included: then commander parses it and explains.
 */
export function parseFast(args: readonly string[]): FastCommand | undefined {
  const folder = args[0] === '-C' ? args[1] : undefined;
  const at = folder === undefined ? 0 : 2;
  const verb = args[at];
  if (verb !== 'run' && verb !== 'check') return undefined;
  const parsed = parseOptions(args.slice(at + 1), verbs[verb].table, verbs[verb].unset);
  if (!parsed) return undefined;
  const {options, rest} = parsed;
  const afterDashes = rest[0] === '--';
  const words = rest.slice(afterDashes ? 1 : 0);
  if (words.length === 0) return undefined;
  const argv = afterDashes || words.length > 1;
  return {verb, words, argv, options, folder};
}

/** Options of `ion run` that the prompt takes too: `ion`, `ion --read`, `ion -C folder`. */
const ofPrompt: ReadonlySet<string> = new Set(['read', 'sandbox', 'timeout', 'config', 'set', 'C', 'color']);
const promptTable = runOptions.filter(({key}) => ofPrompt.has(key));

/** The options that not every command has. */
export const promptOptions = promptTable.filter(({key}) => key !== 'C' && key !== 'color');

/** Undefined if there is anything else: then it is another command, or wrong usage. */
export function parsePromptOptions(args: readonly string[]): RunFlags | undefined {
  const parsed = parseOptions(args, promptTable, verbs.run.unset);
  return parsed?.rest.length === 0 ? parsed.options : undefined;
}

/** The options before the first word. Undefined if one of them is unknown, or has no value. */
function parseOptions(
  args: readonly string[],
  table: readonly Option[],
  unset: object,
): {readonly options: RunFlags; readonly rest: readonly string[]} | undefined {
  const options: Record<string, string | boolean | string[]> = {...unset};
  let at = 0;
  while (at < args.length && args[at]!.startsWith('-') && args[at] !== '--') {
    const option = table.find(({flag}) => flag === args[at]);
    if (!option) return undefined;
    at++;
    if (!('takes' in option)) {
      options[option.key] = option.value;
      continue;
    }
    const value = args[at++];
    if (value === undefined || value.startsWith('-')) return undefined;
    if ('repeats' in option) options[option.key] = [...((options[option.key] as string[]) ?? []), value];
    else options[option.key] = value;
  }
  return {options: options as unknown as RunFlags, rest: args.slice(at)};
}
