import {scanOptions, rest} from '../options.ts';
import {scriptOf, type Call, type Nested} from './nested-call.ts';
import {globalOptions} from './global-options.ts';

/** Git settings whose value git runs as a command. */
const commandSettings =
  /^(core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|pager\..*|gpg(\..*)?\.program|credential(\..*)?\.helper|(diff|merge)\..*\.(command|textconv|driver)|filter\..*\.(clean|smudge|process)|(diff|merge)tool\..*\.(cmd|path)|interactive\.difffilter|browser\..*\.cmd|man\..*\.cmd|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack|vcs)|trailer\..*\.(cmd|command)|sendemail\..*cmd)$/i;

/** `git -c alias.x='!cmd' x`, `git -c core.pager=cmd`, `git rebase --exec cmd`, `git bisect run cmd`. */
export function unfoldGit(call: Call): Nested[] {
  const {argv} = call;
  const scan = scanOptions(argv, 1, globalOptions['git']!);
  const found = scan.options.flatMap(({name, value}) => (name === 'c' && value ? setting(value) : []));
  return [...found, ...subcommand(call, scan.next)];
}

function setting(word: Parameters<typeof rest>[0]): Nested[] {
  const equals = word.text.indexOf('=');
  if (equals === -1) return [];
  return settingValue(word.text.slice(0, equals), rest(word, equals + 1));
}

function settingValue(key: string, value: Parameters<typeof rest>[0]): Nested[] {
  if (/^alias\./i.test(key)) {
    if (value.text.startsWith('!')) return scriptOf([rest(value, 1)], `git -c ${key}`);
    return scriptOf([{...value, text: `git ${value.text}`, raw: ''}], `git -c ${key}`);
  }
  if (!commandSettings.test(key)) return [];
  const script = value.text.startsWith('!') ? rest(value, 1) : value;
  return /^(true|false|auto|)$/.test(script.text) ? [] : scriptOf([script], `git -c ${key}`);
}

function subcommand({argv}: Call, at: number): Nested[] {
  const name = argv[at]?.text ?? '';
  const args = argv.slice(at + 1);
  const row = Object.hasOwn(subcommands, name) ? subcommands[name]! : others;
  return row(args);
}

type Words = Call['argv'];

const others = options(
  'git --upload-pack',
  /^--(upload-pack|receive-pack|exec)$/,
  /^--(upload-pack|receive-pack|exec)=/,
);

const subcommands: Readonly<Record<string, (args: Words) => Nested[]>> = {
  config: configured,
  bisect: ([verb, ...argv]) =>
    verb?.text === 'run' ? [{kind: 'command', argv, wrapper: 'git bisect run'}] : [],
  submodule: foreach,
  rebase: options('git rebase --exec', /^(--exec|-x)$/, /^(--exec=|-x)/),
  'filter-branch': options('git filter-branch', /^--[a-z]+-filter$/, /^--[a-z]+-filter=/),
  difftool: options('git difftool --extcmd', /^(--extcmd|-x)$/, /^(--extcmd=|-x)/),
  grep: options('git grep -O', /^$/, /^(--open-files-in-pager=|-O)/),
};

function options(wrapper: string, apart: RegExp, attached: RegExp): (args: Words) => Nested[] {
  return (args) => optionScripts(args, apart, attached, wrapper);
}

function foreach(args: Words): Nested[] {
  const each = args.findIndex((word) => word.text === 'foreach');
  if (each === -1) return [];
  let from = each + 1;
  while (args[from]?.text.startsWith('-')) from++;
  return scriptOf(args.slice(from), 'git submodule foreach');
}

/** `git config core.pager cmd`: git runs the command later. */
function configured(args: readonly Parameters<typeof rest>[0][]): Nested[] {
  const words = args.filter((word) => !word.text.startsWith('-'));
  const from = words[0]?.text === 'set' ? 1 : 0;
  const [key, value] = words.slice(from);
  return key && value ? settingValue(key.text, value) : [];
}

function optionScripts(args: Call['argv'], apart: RegExp, attached: RegExp, wrapper: string): Nested[] {
  const found: Nested[] = [];
  for (const [index, word] of args.entries()) {
    const prefix = attached.exec(word.text)?.[0];
    const value = apart.test(word.text)
      ? args[index + 1]
      : prefix && word.text !== prefix
        ? rest(word, prefix.length)
        : undefined;
    if (value) found.push(...scriptOf([value], wrapper));
  }
  return found;
}
