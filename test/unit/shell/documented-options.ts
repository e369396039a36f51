/** Maps an option to what the text says about its value: none, one, or an optional one. */
export type Documented = ReadonlyMap<string, ReadonlySet<Takes>>;

/**
 * Options as --help and man pages list them: at the start of a line, `-n, --lines=NUM  print ...`. The value of a long
 * option also applies to the short option before it.
 */
export function documentedOptions(text: string): Documented {
  const found = new Map<string, Set<Takes>>();
  for (const line of text.split('\n')) {
    // `-c --stdout` and `-c  --format=FORMAT` are also two names of one option.
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

/** `-U<n>`, `-wCOLS`: a letter, and its value without a space. */
function nameOf(item: string): string | undefined {
  return (item.startsWith('--') ? /^--(?:\[no-\])?[\w-]+/ : /^-\w/).exec(item)?.[0];
}

function takesOf(item: string): Takes {
  const rest = item.slice(nameOf(item)?.length ?? item.length);
  if (/^\s*\[/.test(rest)) return 'optional';
  return /^(?:=|<|\s*[A-Z]|\s*<|\s+[a-z_=-]+$)/.test(rest) ? 'value' : 'none';
}
