import type {RunFlags} from './program.ts';

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
  {flag: '-C', key: 'C', takes: '<folder>', about: 'start in this folder'},
  {flag: '--color', key: 'color', takes: '<when>', about: "colour ion's own lines: auto, always or never"},
] as const;

export interface FastRun {
  readonly words: readonly string[];
  readonly argv: boolean;
  readonly options: RunFlags;
  /** From `ion -C folder run`. */
  readonly folder: string | undefined;
}

/**
 * Parses `ion run` in its common forms without loading commander, which takes 4 ms of a start. Undefined for anything
 * else, wrong usage included: then commander parses it and explains.
 */
export function parseFastRun(args: readonly string[]): FastRun | undefined {
  const folder = args[0] === '-C' ? args[1] : undefined;
  const verb = folder === undefined ? 0 : 2;
  if (args[verb] !== 'run') return undefined;
  const options: Record<string, string | boolean | string[]> = {sandbox: true};
  let at = verb + 1;
  while (at < args.length && args[at]!.startsWith('-') && args[at] !== '--') {
    const option = runOptions.find(({flag}) => flag === args[at]);
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
  const afterDashes = args[at] === '--';
  const words = args.slice(afterDashes ? at + 1 : at);
  if (words.length === 0) return undefined;
  return {words, argv: afterDashes || words.length > 1, options: options as unknown as RunFlags, folder};
}
