/**
 * Secrets that stand in a command, by their looks. What is found is replaced before the text reaches the log, an
 * event stream or a question; the command itself runs unchanged. A pattern can't know every secret: the log is 0600
 * for that reason, and the list errs towards hiding.
 */
interface Pattern {
  readonly find: RegExp;
  /** What is kept: the groups around the secret. */
  readonly keep: string;
}

const hidden = '[redacted]';

/** A value: quoted, or up to the next blank or operator. */
const value = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'|&;<>()]+)`;
const secretName = String.raw`[\w-]{0,40}(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[\w-]{0,40}`;

const patterns: readonly Pattern[] = [
  // NAME=value, --name=value, --name value, "name": "value"
  {
    find: new RegExp(String.raw`((?:^|[\s"';{,?&-])${secretName}["']?\s*[=:]\s*)${value}`, 'gi'),
    keep: `$1${hidden}`,
  },
  {find: new RegExp(String.raw`(--${secretName}\s+)(?!-)${value}`, 'gi'), keep: `$1${hidden}`},
  // Authorization headers, with or without a scheme
  {
    find: /(authorization\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?)[^\s"']+/gi,
    keep: `$1${hidden}`,
  },
  {find: /\b(bearer\s+)[\w.~+/=-]{8,}/gi, keep: `$1${hidden}`},
  // user:password@ in a URL
  {find: /(\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s:/@]{0,200}:)[^\s@/]{1,400}(?=@)/gi, keep: `$1${hidden}`},
  // curl -u user:password
  {find: /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]?["']?[^\s:"']+:)[^\s"']+/g, keep: `$1${hidden}`},
  // Keys that name themselves
  {
    find: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|xox[abeoprs]-[\w-]{10,}|sk-[\w-]{16,}|sk_(?:live|test)_\w{10,}|AIza[\w-]{30,}|(?:AKIA|ASIA)[A-Z\d]{16}|ya29\.[\w-]{20,})/g,
    keep: hidden,
  },
  // JSON Web Tokens
  {find: /\beyJ[\w-]{8,300}\.[\w-]{8,}\.[\w-]*/g, keep: hidden},
  // PEM blocks
  {find: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, keep: hidden},
];

/**
 * In small letters, what tells most texts apart: where none of it is, no pattern finds anything. Not a pattern itself: making
 * one ready takes a start a millisecond.
 */
const hints =
  'token secret passw passphrase key credential authorization bearer :// -u --user --proxy-user ghp_ gho_ ghu_ ghs_ ghr_ github_pat glpat npm_ xox sk- sk_ aiza akia asia ya29 eyj'.split(
    ' ',
  );

function isSuspicious(text: string): boolean {
  const small = text.toLowerCase();
  return hints.some((hint) => small.includes(hint));
}

/** A longer text is cut after what is looked at: patterns are not to be fed megabytes. */
const maxShown = 16_384;
const maxLookedAt = 20_480;

export function redact(text: string): string {
  let shown = text.slice(0, maxLookedAt);
  if (isSuspicious(shown)) {
    for (const {find, keep} of patterns) shown = shown.replaceAll(find, keep);
  }
  if (text.length <= maxShown) return shown;
  return `${shown.slice(0, maxShown)}… (${text.length} characters)`;
}

/** Every text in a value, names of fields left alone. */
export function redactAll<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactAll(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, redactAll(item as unknown)]),
  ) as T;
}
