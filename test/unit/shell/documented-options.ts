/** Option → what the text says that it takes: no value, one, or one that may be left out. */
export type Documented = ReadonlyMap<string, ReadonlySet<Takes>>;

/**
 * Options as --help and man pages list them: at the beginning of a line, `-n, --lines=NUM  print ...`. What a long option takes,
 * the short one before it takes as well.
 */
export function documentedOptions(text: string): Documented {
  const found = new Map<string, Set<Takes>>();
  for (const line of text.split('\n')) {
    // `-c --stdout` and `-c  --format=FORMAT` are two names as well.
    const head = /^\s{1,16}(-.*)$/
      .exec(line)?.[1]
      ?.replace(/^(-\w)\s+(?=--)/, '$1, ')
      .split(/ {2,}|\t/)[0];
    if (head === undefined) continue;
    const items = head.split(/,\s+|\s+\|\s+|\s+or\s+/).filter((item) => item.startsWith('-'));
    for (const [at, item] of items.entries()) {
      const own = takesOf(item);
      const long = items.slice(at + 1).find((other) => other.startsWith('--'));
      const takes = own === 'none' && !item.startsWith('--') && long ? takesOf(long) : own;
      for (const name of namesIn(item)) found.set(name, (found.get(name) ?? new Set()).add(takes));
    }
  }
  return found;
}

type Takes = 'none' | 'value' | 'optional';

function namesIn(item: string): string[] {
  const name = nameOf(item);
  if (name === undefined) return [];
  return name.startsWith('--[no-]') ? [`--${name.slice(7)}`, `--no-${name.slice(7)}`] : [name];
}

/** `-U<n>`, `-wCOLS`: a letter, and its value without a blank. */
function nameOf(item: string): string | undefined {
  return (item.startsWith('--') ? /^--(?:\[no-\])?[\w-]+/ : /^-\w/).exec(item)?.[0];
}

function takesOf(item: string): Takes {
  const rest = item.slice(nameOf(item)?.length ?? item.length);
  if (/^\s*\[/.test(rest)) return 'optional';
  return /^(?:=|<|\s*[A-Z]|\s*<|\s+[a-z_=-]+$)/.test(rest) ? 'value' : 'none';
}
