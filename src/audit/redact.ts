import {isFixed} from './canonical.ts';
import {separator, sourceOf, wordsOf, type Source, type Word} from './redact-words.ts';
import {baseName} from '../system/base-name.ts';

/**
 * Recognises secrets in a command by their form. Each is replaced before the text reaches the log, an event stream or
 * a question. The command itself runs unchanged. No table can know every secret. So the log has mode 0600, and the
 * table hides too much rather than too little.
 *
 * A text is searched as it is, and then word by word without quotes: `--password "a b"`, `Cookie:\ a=b`. A word that
 * was quoted is searched again as a text of its own: `bash -c "curl --password \"x\""`. So is every message, because
 * ion quotes the command in it. Positions refer to the given text, so its quotes stay as they are.
 */
const hidden = '[redacted]';

/**
 * Words that may be anywhere in a name. They include those of environment.exclude in config/defaults.ts, which a test
 * checks.
 */
const secretWords = String.raw`token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|bearer|auth[_-]config|webhook[_-]url|account[_-]?key|connection[_-]string`;
const anyName = String.raw`[\w-]{0,40}(?:${secretWords})[\w-]{0,40}`;
/** Words at the end of a variable's name. PASS matches, BYPASS and ASKPASS do not. */
const variable = String.raw`(?:(?:\w{0,40}_)?pass|sshpass|\w{0,40}_(?:pwd|creds|key|auth|jwt|pat))`;

/** A value: quoted (the closing quote may be cut off), or up to the next blank or operator. */
const value = String.raw`(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|'[^']*(?:'|$)|[^\s"'|&;<>()]+)`;
const front = String.raw`(?:^|[\s"'\x60;{,?&:/|([.=-])`;

/** For any text. Group 1 precedes the secret and is kept. */
const patterns: readonly RegExp[] = [
  // NAME=value, NAME+=value, --name=value, "name": "value", o['name'] = "value", --set=a.name=value, //registry/:_authToken=value
  new RegExp(String.raw`(${front}${anyName}(?:["']?\]?\s*[=:]|\+=)\s*)${value}`, 'gi'),
  new RegExp(String.raw`(${front}${variable}\+?=)${value}`, 'gi'),
  // Signed URLs
  /([?&](?:sig|x-(?:amz|goog)-signature)=)[^\s"'&#]+/gi,
  // Headers, with or without a scheme
  /(authorization\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?)(?!\\)[^\s"']+/gi,
  /(\bcookie:\s*)(?!\\)[^\s"';]+(?:;\s*[^\s"';=]+=[^\s"';]*)*/gi,
  /\b(bearer\s+)[\w.~+/=-]{8,}/gi,
  // user:password@ in a URL. A token alone before the `@` looks like a user name, so both are hidden.
  /(\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s:/@]{0,200}:)[^\s@/]{1,400}(?=@)/gi,
  /(\bhttps?:\/\/)[^\s:/@?#"']{1,400}(?=(?::(?:x-oauth-basic)?)?@)/gi,
  // Keys with a known prefix
  /()\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|xox[abeoprs]-[\w-]{10,}|sk-[\w-]{16,}|sk_(?:live|test)_\w{10,}|AIza[\w-]{30,}|(?:AKIA|ASIA)[A-Z\d]{16}|ya29\.[\w-]{20,}|hf_\w{30,}|pypi-[\w-]{40,})/g,
  /(\bhooks\.slack\.com\/services\/)[\w/]{10,}/g,
  /(\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{10,}/g,
  /(\bapi\.telegram\.org\/bot)\d+:[\w-]+/g,
  // JSON Web Tokens
  /()\beyJ[\w-]{8,300}\.[\w-]{8,}\.[\w-]*/g,
  // PEM blocks
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** For one word without its quotes. Group 1 is kept. The rest of the word is the secret, blanks included. */
const wholeWords: readonly RegExp[] = [
  new RegExp(String.raw`^(-{0,2}(?:${anyName}|${variable})=)`, 'i'),
  new RegExp(String.raw`^([\w-]{0,40}(?:${secretWords}):\s*)`, 'i'),
  /^([\w-]{0,40}-(?:auth|key|signature):\s*)/i,
  /^((?:proxy-)?authorization:\s*(?:(?:bearer|basic|token|digest)\s+)?)/i,
  /^((?:set-)?cookie:\s*)/i,
];

/** Options of any program, and settings of npm and aws, whose next word is a secret. */
const secretOption = new RegExp(
  String.raw`^(?:--?(?!-|no-|ask-|skip-|prompt-)(?:${anyName}|[\w-]{0,40}(?:pass|creds?))|\S{0,400}:_(?:authToken|auth|password)|_(?:authToken|auth|password)|aws_(?:secret_access_key|session_token))$`,
  'i',
);
/** Names of the place of a secret. Their value is not a secret. */
const locationOption = /-(?:stdin|file|path|dir|prompt|command|helper|reset|url|name|type|ttl)$/i;

interface OptionRow {
  /** The programs that the row applies to. Absent: all. */
  readonly of?: RegExp;
  /** The option whose next word is the secret. With `joined`: the beginning of the word that holds the secret. */
  readonly option: RegExp;
  readonly joined?: true;
  /** The index of the secret's first character, or undefined if there is none. Absent: the whole word. */
  readonly from?: (text: string) => number | undefined;
}

const rows: readonly OptionRow[] = [
  {of: /^openssl$/, option: /^-pass(?:in|out)?$/, from: (text) => after(/^pass:/, text)},
  {of: /^openssl$/, option: /^-[kK]$/},
  {of: /^(?:mysql\w*|mariadb(?:-\w+)?|sshpass|7za?)$/, option: /^-p/, joined: true},
  {of: /^(?:sshpass|login|mongo\w*)$/, option: /^-p$/},
  {of: /^redis-cli$/, option: /^-a$/},
  {of: /^ldap\w+$/, option: /^-w$/},
  {of: /^(?:zip|unzip|sqlcmd|bcp)$/, option: /^-P$/},
  {of: /^(?:plink|pscp)$/, option: /^-pw$/},
  // Without a `=` the word is a file name.
  {of: /^curl$/, option: /^(?:-b|--cookie)$/, from: (text) => (text.includes('=') ? 0 : undefined)},
  {of: /^(?:curl|https?)$/, option: /^-[a-zA-Z]*[uUa]$/, from: (text) => after(/^[^:]+:/, text)},
  // Programs other than curl use it too. Excludes the numbers of a user and a group (`1000:1000`).
  {option: /^(?:-[uU]|--user|--proxy-user)$/, from: (text) => after(/^(?!\d+:\d+$)[^:]+:/, text)},
  {option: /^(?:-[uU]|--(?:proxy-)?user=)(?=[^:]+:)(?!\d+:\d+$)[^:]+:/, joined: true},
  {option: secretOption, from: (text) => (text.startsWith('-') ? undefined : 0)},
];

/** The programs of the table, and the ssh programs that sshpass starts. */
const isKnown = (name: string): boolean =>
  /^(?:ssh|scp|sftp|rsync)$/.test(name) || rows.some(({of}) => of?.test(name));

function after(front: RegExp, text: string): number | undefined {
  return front.exec(text)?.[0].length;
}

/** The index at which a secret starts in a word. Undefined if there is none. */
function secretFrom(text: string, previous: string, program: string): number | undefined {
  // After `bash -c` or a message's `denied:` the word is a command, and is searched as one: `TOKEN=x make` is more than a value.
  if (/^-[a-z]*c$|.:$/.test(previous)) return undefined;
  for (const {of, option, joined, from = () => 0} of rows) {
    if (of && !of.test(program)) continue;
    if (joined) {
      const length = after(option, text);
      if (length !== undefined && length < text.length) return length;
    } else if (option.test(previous) && !locationOption.test(previous)) {
      return from(text);
    }
  }
  return wholeWords.map((pattern) => after(pattern, text)).find((length) => length !== undefined);
}

/** A range of the given text. */
type Range = readonly [from: number, to: number];

/** How deep commands within commands are searched by words. Deeper ones are searched by the patterns alone. */
const maxDepth = 4;

function lookAt(source: Source, found: Range[], depth = 0): void {
  for (const pattern of patterns) {
    for (const match of source.text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      hide(source, ...withoutQuotes(source.text, match.index + match[1]!.length, end), found);
    }
  }
  // JSON has quotes of its own, so its text is not split into words.
  const isDocument = depth > 0 && /^\s*(?:\{\s*"|\[["{[])/.test(source.text);
  if (!isDocument) lookAtWords(wordsOf(source), found, depth);
}

function lookAtWords(words: readonly (Word | typeof separator)[], found: Range[], depth: number): void {
  let previous = '';
  let program = '';
  for (const word of words) {
    if (word === separator) {
      previous = program = '';
      continue;
    }
    const from = secretFrom(word.text, previous, program);
    if (from !== undefined) hide(word, from, word.text.length, found);
    if (word.quoted && depth < maxDepth) lookAt(word, found, depth + 1);
    const name = baseName(word.text);
    if (isKnown(name)) program = name;
    previous = word.text;
  }
}

/** Keeps the quotes, so that JSON stays valid. */
function withoutQuotes(text: string, from: number, to: number): [from: number, to: number] {
  const quote = text[from];
  if (quote !== '"' && quote !== "'") return [from, to];
  return [from + 1, to > from + 1 && text[to - 1] === quote ? to - 1 : to];
}

function hide({starts, ends}: Source, from: number, to: number, found: Range[]): void {
  if (from < to) found.push([starts[from]!, ends[to - 1]!]);
}

/** `text` up to `end`, with a mark in place of each range. Ranges that touch share one mark. */
function withMarks(text: string, ranges: readonly Range[], end: number): string {
  let shown = '';
  let at = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from >= end) break;
    if (to <= at) continue;
    shown += from > at || at === 0 ? text.slice(at, from) + hidden : '';
    at = to;
  }
  return at < end ? shown + text.slice(at, end) : shown;
}

/**
 * Words that every recognised secret is near, in lower case: a text without any of them needs no further search. This
 * is a list and not a pattern, because compiling the pattern adds a millisecond to a start.
 */
const hints =
  'token secret pass pwd creds credential key auth bearer cookie jwt _pat webhook connection sig :// -u --user --proxy-user ghp_ gho_ ghu_ ghs_ ghr_ glpat npm_ xox sk- sk_ aiza akia asia ya29 hf_ pypi- hooks.slack eyj mysql mariadb 7z login mongo redis-cli ldap openssl zip sqlcmd bcp plink pscp curl http'.split(
    ' ',
  );

function isSuspicious(text: string): boolean {
  const small = text.toLowerCase();
  return hints.some((hint) => small.includes(hint));
}

/** A long text is searched up to the first limit and shown up to the second. So a secret at the cut is seen whole. */
const maxLookedAt = 20_480;
const maxShown = 16_384;

export function redact(text: string): string {
  const seen = text.slice(0, maxLookedAt);
  const found: Range[] = [];
  if (isSuspicious(seen)) lookAt(sourceOf(seen), found);
  if (text.length <= maxLookedAt) return withMarks(text, found, text.length);
  return `${withMarks(text, found, maxShown)}… (${text.length} characters)`;
}

/** The arguments of one execution. An option hides the word after it. No word is split at its blanks. */
export function redactWords(words: readonly string[]): string[] {
  // An argument of an execution cannot contain NUL.
  const text = words.join('\0');
  const seen = text.slice(0, maxLookedAt);
  if (!isSuspicious(seen)) return words.map(redact);
  const found: Range[] = [];
  let offset = 0;
  const sources = seen.split('\0').map((word) => {
    const source = sourceOf(word, offset);
    offset += word.length + 1;
    return {...source, quoted: true};
  });
  lookAtWords(sources, found, 0);
  const shown = withMarks(text, found, Math.min(text.length, maxLookedAt));
  const rest = text.length > maxLookedAt ? `… (${text.length} characters)` : '';
  return `${shown}${rest}`.split('\0');
}

/** Redacts every text in a value, but not the names of fields. */
export function redactAll<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactAll(item)) as T;
  if (typeof value !== 'object' || value === null || isFixed(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === 'argv' ? redactWords(item as readonly string[]) : redactAll(item as unknown),
    ]),
  ) as T;
}
