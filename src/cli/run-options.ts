import type {RunFlags} from './program.ts';

/** The options of `ion run`; commander is told the same table. */
export const runOptions = [
  {flag: '--read', key: 'read', value: true, about: 'read mode: only safe commands, nothing is written'},
  {
    flag: '--no-sandbox',
    key: 'sandbox',
    value: false,
    about: 'no sandbox and no path checks (deny_commands and guardrails stay)',
  },
  {
    flag: '--timeout',
    key: 'timeout',
    takes: '<time>',
    about: 'end the whole tree after this time ("30s", "10m")',
  },
  {
    flag: '--config',
    key: 'config',
    takes: '<file>',
    about: 'a config file of your own, above the project and user files',
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
    about: 'one JSON object with the result as the last line of stderr',
  },
  {flag: '--explain', key: 'explain', value: true, about: 'report denied reads too'},
] as const;

export interface FastRun {
  readonly words: readonly string[];
  readonly argv: boolean;
  readonly options: RunFlags;
}

/**
 * `ion run` with options as they are mostly written, without loading commander (4 ms of start). Undefined for anything else,
 * wrong usage included: then commander parses, and explains.
 */
export function parseFastRun(args: readonly string[]): FastRun | undefined {
  if (args[0] !== 'run') return undefined;
  const options: Record<string, string | boolean> = {sandbox: true};
  let at = 1;
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
    options[option.key] = value;
  }
  const afterDashes = args[at] === '--';
  const words = args.slice(afterDashes ? at + 1 : at);
  if (words.length === 0) return undefined;
  return {words, argv: afterDashes || words.length > 1, options: options as unknown as RunFlags};
}
