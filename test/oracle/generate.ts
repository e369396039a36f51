import type {Random} from './random.ts';

/** A command line for bash. `literal`: everything in it is literal, so each program must be found by name. */
export interface Line {
  readonly text: string;
  readonly literal: boolean;
}

/** Shims that record how they were called. All other words in the lines are builtins or wrappers. */
export const programs = ['git', 'rm', 'npm', 'curl', 'make', 'docker', 'deploy'];

const words = [
  'push',
  '-rf',
  'a b',
  '--force',
  'x=1',
  '.',
  '-C',
  "it's",
  '$HOME',
  '*',
  'a"b',
  '{x}',
  '#no',
  '~',
  ';',
  '&&',
  'p\\q',
  'a/b',
  'a:b',
  ']',
  ')',
  '}',
  '))',
  'done',
  'E',
  '<(',
  '?',
  'ü',
];

/** One line: a simple command, wrapped a few times in constructs of bash. */
export function generate(random: Random, wrappers: ReadonlySet<string>): Line {
  let line = simple(random);
  for (let layers = random.below(5); layers > 0; layers--)
    line = random.pick(layersFor(line, wrappers))(line, random);
  return losesQuotes.test(line.text) ? {...line, literal: false} : line;
}

/**
 * bash 5.2 loses the quotes of `$'…'` in `"$(cat <((cmd $'…')))"`. The analysis must report the words that it reads then as
 * unknown.
 */
const losesQuotes = /"[^]*[<>$]\(\([^]*\$'/;

interface Draft extends Line {
  /** True for a simple command: it may follow `env` and similar programs. */
  readonly simple: boolean;
}

type Layer = (line: Draft, random: Random) => Draft;

function simple(random: Random): Draft {
  const program = quotedWord(random.pick(programs), random);
  const args = Array.from({length: random.below(4)}, () => quotedWord(random.pick(words), random));
  const text = [program, ...args].join(random.chance(8) ? ' \\\n ' : ' ');
  return {text, literal: true, simple: true};
}

/** The same word in one of many spellings. */
export function quotedWord(word: string, random: Random): string {
  return random.pick(quotings)(word, random);
}

const plain = /^[A-Za-z0-9_./,:@%+-]+$/;
const quotings: readonly ((word: string, random: Random) => string)[] = [
  (word) => (plain.test(word) ? word : singleQuoted(word)),
  (word) => (plain.test(word) ? word : doubleQuoted(word)),
  singleQuoted,
  doubleQuoted,
  ansiQuoted,
  backslashed,
  (word, random) => {
    const at = random.below(word.length + 1);
    return quotedWord(word.slice(0, at), random) + quotedWord(word.slice(at), random);
  },
];

export function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function doubleQuoted(word: string): string {
  return `"${word.replace(/["$`\\]/g, '\\$&')}"`;
}

function ansiQuoted(word: string): string {
  const escaped = word.replace(/[\\'\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
  return `$'${escaped.replace(/[a-f]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`)}'`;
}

function backslashed(word: string): string {
  if (word === '' || word.includes('\n')) return singleQuoted(word);
  return word.replace(/[^A-Za-z0-9_./,:@%+-]/gu, '\\$&').replace(/^[a-z]/, '\\$&');
}

/** A lock within the same lock waits for itself. The letters stay unchanged in every quoting of a script. */
const mayHoldLock = (text: string): boolean => /(?<!p)lo/.test(text);

function layersFor(line: Draft, programsHere: ReadonlySet<string>): readonly Layer[] {
  const wrappers = new Set([...programsHere].filter((name) => name !== 'flock' || !mayHoldLock(line.text)));
  const scripts = scriptLayers.filter(({needs}) => !needs || wrappers.has(needs)).map(({layer}) => layer);
  const common = [...grammarLayers, ...scripts];
  if (!line.simple) return common;
  const front = frontLayers.filter(({needs}) => !needs || wrappers.has(needs)).map(({layer}) => layer);
  return [...common, ...front, ...front, ...dynamicLayers];
}

const grammar =
  (before: string, after: string): Layer =>
  (line) => ({
    text: before + line.text + after,
    literal: line.literal,
    simple: false,
  });

/** bash 5.2 removes the quotes of `$'…'` in there. The analysis must report that as unknown. */
const quotesInQuotes =
  (before: string, after: string): Layer =>
  (line, random) => ({
    ...grammar(before, after)(line, random),
    literal: line.literal && !line.text.includes("$'"),
  });

/** Constructs that contain the command unchanged. */
const grammarLayers: readonly Layer[] = [
  grammar('true; ', ''),
  grammar('', ' && true'),
  grammar('false || ', ''),
  grammar('', ' &\nwait'),
  grammar('', '; true'),
  grammar(':\n', '\n:'),
  grammar('! ', ''),
  grammar('time ', ''),
  grammar('true | ', ''),
  grammar('', ' | cat'),
  grammar('', ' |& cat'),
  grammar('(', ')'),
  grammar('{ ', '; }'),
  grammar('{ ', '\n} >/dev/null'),
  grammar('if true; then ', '; fi'),
  grammar('if ', '; then :; else :; fi'),
  grammar('while ', '; do break; done'),
  grammar('until ', '; do break; done'),
  grammar('for i in 1; do ', '; done'),
  grammar('for ((i=0; i<1; i++)); do ', '; done'),
  grammar('case a in a) ', ';; esac'),
  grammar('case b in (a|b) ', ' ;& c) :; esac'),
  grammar('f() { ', '; }; f'),
  grammar('function f { ', '\n}; f'),
  grammar('f() (', '); f x'),
  grammar('echo "$(', ')"'),
  grammar('echo $( ', ' )'),
  grammar('x=$(', ')'),
  grammar('x="a$(', ')b" true'),
  grammar('local_=(1 $(', '))'),
  grammar('cat <(', ')'),
  grammar('true > >(', ')'),
  grammar('[[ -z $(', ') ]]'),
  grammar('[[ a && ( "$(', ')" != b ) ]]'),
  grammar('echo $((1 + 0$(', ')))'),
  grammar('((1 + 0$(', '))) || :'),
  grammar('echo ${y:-$(', ')}'),
  grammar('echo "${y:=a$(', ')}"'),
  grammar('echo ${HOME/$(', ')/b}'),
  grammar('echo "${HOME//a/$(', ')}"'),
  grammar('echo ${HOME:$(', ')0:1}'),
  grammar('echo ${HOME:0:$(', ')1}'),
  grammar('echo ${HOME^^$(', ')}'),
  grammar('echo ${HOME%$(', ')}'),
  grammar('echo ${a[0$(', ')]}'),
  grammar('a[0$(', ')]=1'),
  grammar('cat <<E\na $(', ')\nE'),
  grammar('cat <<-E\n\t$(', ')\n\tE'),
  grammar('cat <<< "$(', ')"'),
  grammar('case $(', ') in *) ;; esac'),
  grammar('for i in $(', '); do :; done'),
  grammar('true >/dev/null"$(', ')"'),
  grammar('true 2>&1 $(', ') </dev/null'),
  grammar('declare v=$(', ')'),
  grammar('export v="$(', ')"'),
  grammar('echo {a,$(', ')}'),
  grammar('if [ "$(', ')" = a ]; then :; fi'),
  grammar('coproc { ', '; }; wait'),
  grammar('select x in a; do ', '; break; done <<< 1'),
  grammar('while read -r x; do ', '; done <<< y'),
  grammar('read -r x < <(', ')'),
  grammar('{ ', '; } &\nwait'),
  grammar('! time ', ''),
  quotesInQuotes('echo "${y:-\'$(', ')\'}"'),
  grammar('echo "${y:-"$(', ')"}"'),
  grammar('echo ${y:-"a $(', ') b"}'),
  grammar('echo ${y-${z-$(', ')}}'),
  grammar('echo "${HOME+`: `$(', ')}"'),
  grammar('echo $((${#y} + 0$(', ')))'),
  grammar('echo $(( 1 ? 0$(', ') : 2 ))'),
  grammar('a=([0$(', ')]=x)'),
  grammar('a+=("$(', ')")'),
  grammar('[[ a =~ $(', ') ]]'),
  grammar('[[ -v a["0$(', ')"] ]]'),
  grammar('cat <<< `: `"$(', ')"'),
  grammar('cat <<E\n${y:-$(', ')}\nE'),
  quotesInQuotes("cat <<E\n${y:-'$(", ")'}\nE"),
  grammar('x=1 \\\n y=2; ', ''),
  grammar('true &&\\\n ', ''),
  grammar('if true; then \\\n', '\nfi'),
  grammar('case a in\n (b) ;; (a) ', ' ;;& *) :; esac'),
  (line) => ({text: '`' + line.text.replace(/[\\`]/g, '\\$&') + '`', literal: line.literal, simple: false}),
  (line) => ({
    text: 'echo a`' + line.text.replace(/[\\`]/g, '\\$&') + '`b',
    literal: line.literal,
    simple: false,
  }),
];

interface Needing {
  readonly needs?: string;
  readonly layer: Layer;
}

/** xargs in a script on standard input takes the following lines as its input. */
const mayTakeLines = (text: string): boolean => /x(?:a|\\+x61)rgs/.test(text);

const onInput = /<<<|\| (?:ba)?sh$/;

const script = (before: string, after: string, needs?: string): Needing => ({
  ...(needs ? {needs} : {}),
  layer: (line, random) => ({
    text: before + scriptWord(line.text, random) + after,
    literal:
      line.literal && !(onInput.test(before + after) && mayTakeLines(line.text) && /\n|\\n/.test(line.text)),
    simple: !/[|<;&]/.test(before + after) && before !== 'eval ',
  }),
});

function scriptWord(text: string, random: Random): string {
  return random.pick([singleQuoted, doubleQuoted, ansiQuoted])(text);
}

/** Programs and builtins that take the command as text. */
const scriptLayers: readonly Needing[] = [
  script('bash -c ', ''),
  script('bash -c -- ', ''),
  script('bash -ec ', ' name arg'),
  script('bash +x -o pipefail -c ', ''),
  script('bash --norc -c ', ' "a b"'),
  script('sh -c ', '', 'sh'),
  script('eval ', ''),
  script('eval -- ', ''),
  script('eval true "&&" ', ''),
  script('trap ', ' EXIT'),
  script('bash <<< ', ''),
  script('bash -s a b <<< ', ''),
  script('source /dev/stdin <<< ', ''),
  script('. /dev/stdin <<< ', ''),
  script('bash /dev/stdin <<< ', ''),
  script("printf '%s\\n' ", ' | bash'),
  script("printf '%s' ", ' | sh', 'sh'),
  script('find . -maxdepth 0 -exec bash -c ', ' \\;', 'find'),
  script('find . -maxdepth 0 -exec bash -c ', ' {} +', 'find'),
  script('xargs bash -c ', ' </dev/null', 'xargs'),
  script('timeout 5 bash -c ', '', 'timeout'),
  script('flock . -c ', '', 'flock'),
  {
    layer: (line) => ({
      text: `bash <<'E'\n${line.text}\nE`,
      literal: line.literal && !line.text.includes('\nE') && !mayTakeLines(line.text),
      simple: false,
    }),
  },
  {
    layer: (line) => ({
      text: `cat <<'F' | bash\n${line.text}\nF`,
      literal: line.literal && !line.text.includes('\nF') && !mayTakeLines(line.text),
      simple: false,
    }),
  },
];

const front = (before: string, needs?: string): Needing => ({
  ...(needs ? {needs} : {}),
  layer: (line) => ({...line, text: `${before} ${line.text}`}),
});

/** Programs and builtins that take the command as words. */
const frontLayers: readonly Needing[] = [
  front('command'),
  // Not `command -p`: it would find the real rm, and `~` without HOME is the user's own.
  front('command --'),
  front('exec'),
  front('exec -a name'),
  front('FOO=1'),
  front('FOO="a b" BAR=$\'x\''),
  front('>/dev/null'),
  front('2>/dev/null'),
  front('env', 'env'),
  front('env A=1 B="x y"', 'env'),
  front('env -u A -i PATH="$PATH" B=1', 'env'),
  front('env -- A=1', 'env'),
  front('nice', 'nice'),
  front('nice -n 5', 'nice'),
  front('nice -5', 'nice'),
  front('nice --adj=3', 'nice'),
  front('nohup', 'nohup'),
  front('setsid -w', 'setsid'),
  front('stdbuf -oL -e0', 'stdbuf'),
  front('timeout 5', 'timeout'),
  front('timeout -k 1 --signal=KILL 5', 'timeout'),
  front('timeout --for -v 5', 'timeout'),
  front('ionice -c 3', 'ionice'),
  front('ionice -c2 -n7', 'ionice'),
  front('chrt -o 0', 'chrt'),
  front('taskset -c 0', 'taskset'),
  front('taskset 1', 'taskset'),
  front('flock .', 'flock'),
  front('flock -w 2 .', 'flock'),
  front('xargs -n 1 -P2', 'xargs'),
  front('setarch -R', 'setarch'),
  {needs: 'find', layer: (line) => ({...line, text: `find . -maxdepth 0 -exec ${line.text} \\;`})},
  {
    needs: 'find',
    layer: (line) => ({...line, text: `find . -maxdepth 0 -type d -execdir ${line.text} \\; -o -true`}),
  },
  {layer: (line) => ({...line, text: `${line.text} >/dev/null 2>&1`})},
  {layer: (line) => ({...line, text: `${line.text} </dev/null`})},
];

const dynamic =
  (before: string, after: string): Layer =>
  (line) => ({
    text: before + line.text + after,
    literal: false,
    simple: false,
  });

/** Commands that only the shell can know. The analysis must report them as unknown. */
const dynamicLayers: readonly Layer[] = [
  dynamic('e=; $e ', ''),
  dynamic('x=command; $x ', ''),
  dynamic('a=(', '); "${a[@]}"'),
  dynamic('set -- ', '; "$@"'),
  dynamic('bash -c \'"$@"\' name ', ''),
  dynamic('bash -c \'$0 "$@"\' ', ''),
  dynamic('$(echo env) ', ''),
  dynamic('f() { "$@"; }; f ', ''),
  dynamic('', ' $(echo x y)'),
  dynamic('', ' "$HOME" ${v-w}'),
  dynamic('', ' ~ *'),
  dynamic('for i in 1 2; do ', ' $i; done'),
  dynamic('echo z | xargs ', ''),
  dynamic('printf "%s\\n" q r | xargs -I{} ', ' {}'),
  dynamic('mapfile -t m <<< "', '"; eval "${m[0]}"'),
];
