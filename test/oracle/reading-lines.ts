import {gitRows} from '../../src/shell/read-mode/safe-git.ts';
import {jqOptions, sedOptions} from '../../src/shell/read-mode/sed-and-jq.ts';
import {safeRows} from '../../src/shell/read-mode/safe-table.ts';
import type {Random} from './random.ts';

type Make = (random: Random) => string;

const oneOf =
  (...items: readonly (string | Make)[]): Make =>
  (random) => {
    const item = random.pick(items);
    return typeof item === 'string' ? item : item(random);
  };

/** Words that only name existing things. */
const plainWord = oneOf(
  'f',
  'g',
  'src',
  'src/a.ts',
  'README.md',
  '.',
  'data.csv',
  'HEAD',
  '1',
  'foo',
  './f',
  'link',
);

/** Words that may change their own meaning or that of other words. */
const oddWord: Make = oneOf(
  '"$x"',
  '$x',
  '"$w"',
  '$v',
  '"$v"',
  '"$@"',
  '"${a[@]}"',
  '"src/$x"',
  'src/$x',
  '"$(cat names)"',
  '$(cat names)',
  '`cat names`',
  '*',
  './*',
  'src/*',
  '-*',
  '"-"*',
  '{f,g}',
  '{-delete,f}',
  '-{i,o}',
  '~',
  '~/f',
  "'a[$(touch pwned)]'",
  "'$(touch pwned)'",
  '"${x:-f}"',
  '${x:=-delete}',
  '${x%.*}',
  "${x/a/'$(touch pwned)'}",
  '"${x:-\'$(touch pwned)\'}"',
  '"${x#\'`touch pwned`\'}"',
  '${!v}',
  '${x@P}',
  '${x@Q}',
  '${x:0:1}',
  '${x:v}',
  '${a[v]}',
  '$((1+1))',
  '$((x+1))',
  '$((i*2))',
  '$((x - $i))',
  '$((y$x))',
  '$[i++]',
  '${a[i]}',
  '${x:i}',
  '"$i"',
  '$i',
  '$((v))',
  '$[v]',
  '--',
  '-',
  '<(cat f)',
  '>(cat)',
  '{}',
  ';',
  '\\;',
  '+',
  '%n',
  '-v',
  '-o',
  '-o pwned',
  '--output=pwned',
  '-i',
  '-delete',
  '-exec ./evil \\;',
  '-fprint pwned',
  '--help',
  '--version',
  'PATH',
  'pwned',
  "''",
  '"a b"',
  "$'-delete'",
  '\\-delete',
  '+x',
  '-c',
  '-C sub',
  '-C link',
  '--git-dir=sub/.git',
  '-1',
  '-n1',
);

const word: Make = (random) => (random.chance(3) ? oddWord(random) : plainWord(random));

function optionsOf(random: Random, flags = '', values = ''): string {
  const parts: string[] = [];
  const all = [...flags.split(' '), ...values.split(' ')].filter((name) => name !== '' && !slow.has(name));
  for (let left = random.below(4); left > 0 && all.length > 0; left--) {
    const name = random.pick(all);
    const dashed = name.startsWith('-') ? name : `-${name}`;
    const shortened = random.chance(12) ? dashed.slice(0, -1) : dashed;
    const takes = values.split(' ').includes(name);
    if (!takes) parts.push(shortened);
    else if (random.chance(3)) parts.push(`${shortened}${name.startsWith('--') ? '=' : ''}${word(random)}`);
    else parts.push(shortened, word(random));
  }
  if (random.chance(8))
    parts.push(`-${random.pick(['a', 'l', 'n', 'i', 'r'])}${random.pick(['o', 'f', 'w', 'e', 'x'])}`);
  return parts.join(' ');
}

/** These options wait for more input. */
const slow = new Set(['f', 'F', '--follow', '--retry', '--pid', 's']);

const words = (random: Random, most = 4): string =>
  Array.from({length: random.below(most)}, () => word(random)).join(' ');

const table: Make = (random) => {
  const name = random.pick(tableNames);
  const {flags, values} = safeRows[name]!;
  return `${name} ${optionsOf(random, flags, values)} ${words(random)}`;
};
const tableNames = Object.keys(safeRows).filter(
  (name) => !/^(?:git|npm|sleep|ps|lsof|ss|dpkg.*|exit|shasum)$/.test(name),
);

const git: Make = (random) => {
  const name = random.pick(Object.keys(gitRows));
  const {flags, values} = gitRows[name]!;
  const before = random.chance(5)
    ? oneOf(
        '-C sub',
        '-C link',
        '-C src',
        '--no-pager',
        '-p',
        '-C ~',
        '--git-dir=sub/.git',
        '-C "$x"',
        '-C "$d"',
        '--git-dir="$d/.git"',
      )(random)
    : '';
  const verb = verbs[name];
  return `git ${before} ${name} ${verb ? oneOf(...verb)(random) : ''} ${optionsOf(random, flags, values)} ${words(random, 3)}`;
};
const verbs: Readonly<Record<string, readonly string[]>> = {
  stash: ['list', 'show', 'show -p', 'pop'],
  worktree: ['list', 'prune'],
  submodule: ['status', 'update'],
  remote: ['-v', 'get-url origin', 'show origin'],
  config: ['--list', '--get user.name', 'user.name', 'get x'],
};

const find: Make = (random) => {
  const tests = Array.from({length: random.below(4)}, () =>
    oneOf(
      '-name "*.ts"',
      '-type f',
      '-print',
      '-print0',
      '-maxdepth 1',
      '-newer f',
      '-size +0',
      '-empty',
      '-o',
      '!',
      '\\( -name f -o -name g \\)',
      '-name "$x"',
      '-delete',
      '-fls pwned',
      '-printf %p',
      (inner) => `-exec ${command(inner)} {} \\;`,
      (inner) => `-exec ${command(inner)} {} +`,
      (inner) => `-exec ${command(inner)} \\;`,
      (inner) => `-execdir ${command(inner)} {} +`,
      (inner) => `-exec bash -c '${command(inner).replaceAll("'", '')} "$1"' _ {} \\;`,
    )(random),
  );
  return `find ${random.chance(3) ? word(random) : '.'} ${tests.join(' ')}`;
};

const awk: Make = (random) =>
  `awk ${random.chance(4) ? '-F, ' : ''}'${oneOf(
    '{print $1}',
    '/foo/ {print}',
    'NR>1 {print > "/dev/stderr"}',
    '{print > "pwned"}',
    '{print | "touch pwned"}',
    '{ x = 1 / 2; y = "/"; print x > y "pwned" }',
    '{ print length / 2, "/" > "pwned" }',
    '/[/]/ { print > "pwned" } //',
    '$1 / 2 > 1 { print "a" }',
    'BEGIN { "touch pwned" | getline }',
    'BEGIN { system("touch pwned") }',
    'BEGIN { printf("%s\\n", 1) > "pwned" }',
    'BEGIN { print(1)(2) > "pwned" }',
    '{ print $1,\n $2 > "pwned" }',
    '# a "\n{ print "#" > "pwned" }',
    '{ a = $1 ~ /x/ > 0; print a }',
    '{ print a++ / 1 > "pwned" /x/ }',
    'function f(x) { return x / 2 } { print f(1) }',
    '{ n += $1 } END { print n }',
    '{ print "a" "b", -1 " " -1 }',
    '{ gsub(/[^a-z|>]/, ""); print }',
    '{ getline x < "f"; print x }',
    '{ printf "%s", $0 >> "pwned" }',
    '{ if (NR > 1) print $0; else print "x" }',
    '{ print (1 > 2) ? "a" : "b" > "pwned" }',
  )(random)}' ${words(random)}`;

const scripts: Make = (random) =>
  oneOf(
    (r) =>
      `sed ${optionsOf(r, sedOptions.flags, sedOptions.values)} ${oneOf("'s/a/b/'", "'1p;2w pwned'", "'s/./touch pwned/e'", "'1e touch pwned'", "-n '1,2p'", "'/[/]x/d'", "'s|a|b|;s/[/]/x/;w pwned'", '"s/$x/b/"', "'y/a/b/'", "'$!d'", "'1~2p'", '-n "${i}p"', '-n "$i,${x}p"', '"${i}w pwned"', '-n "1${i}"')(r)} ${words(r)}`,
    (r) =>
      `jq ${optionsOf(r, jqOptions.flags, jqOptions.values)} ${oneOf('.', "'.a'", "'env'", "'$ENV.v'", "'input_filename'", "'foo'")(r)} ${words(r)}`,
    (r) => `less ${oneOf('', '-N', '-o pwned', "'+!touch pwned'", '+G', '-k .lesskey')(r)} ${words(r)}`,
    (r) =>
      `npm ${r.chance(8) ? oneOf('ls', '--version', 'ls --depth=0', 'ls -g')(r) : oneOf('run test', 'test')(r)}`,
    (r) => `tar ${oneOf('tf', '-tf', 'tzf', '-tvf', 'cf', 'xf', '--list -f')(r)} ${words(r)}`,
    (r) => `dpkg ${oneOf('-l', '-s', '--get-selections')(r)} ${words(r, 2)}`,
  )(random);

const command: Make = (random) => {
  const kind = random.below(12);
  if (kind < 5) return table(random);
  if (kind < 8) return git(random);
  if (kind === 8) return find(random);
  if (kind === 9) return awk(random);
  return scripts(random);
};

const assignment: Make = (random) =>
  oneOf(
    'x=-delete',
    'x=f',
    'x=1',
    'x=f y=g',
    'd=sub',
    'd=link',
    'd=- x=HEAD',
    'd=sub && cd "$d"',
    'i=2',
    'i=$((i+1))',
    '((i++))',
    'x=src <f',
    'i=0; x=$((i-1))',
    'unset i',
    'read i <<< v',
    "x='--output=pwned'",
    "x='a[$(touch pwned)]'",
    "x='$(touch pwned)'",
    'x=$(cat names)',
    'x=(f -delete)',
    "a=('-o' pwned)",
    "a[0]='-i'",
    'a[v]=1',
    'x+=f',
    'IFS=/',
    'PATH=bin:$PATH',
    'BASH_ENV=rc',
    'GIT_CONFIG_COUNT=0',
    'HOME=sub',
    'GIT_DIR=sub/.git',
    "SECONDS='a[$(touch pwned)]'",
    'LESSOPEN="|touch pwned"',
    "PS4='$(touch pwned)'",
    'read x < names',
    'read -r x y <<< "-delete f"',
    'read PATH <<< bin',
    "read 'a[$(touch pwned)]' <<< 1",
    'mapfile -t a < names',
    'mapfile -t PATH < names',
    'printf -v x %s -delete',
    "printf 'ab%n' x",
    ': ${x:=-delete}',
    ': ${HOME:=sub} ${GIT_DIR:=sub/.git}',
    ': $((x=1))',
    'export x=-delete',
    'export LC_ALL=C',
    'declare -i x=v',
    'set -- -delete f',
    'set -a',
    'set -x',
    'set -euo pipefail',
    'cd sub',
    'cd link',
    'cd ~',
    'cd "$x"',
    'cd $d',
    'cd -P link',
    'unset x',
    'exec 3<f',
    'shopt -s extglob',
    'trap "touch pwned" EXIT',
    'hash -p ./evil ls',
    'alias ls=./evil',
    'ls() { ./evil; }',
    'enable -n ls',
    'wait -n -p PATH',
    'getopts v x',
    'let v',
  )(random);

type Layer = (line: string, random: Random) => string;

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

const layers: readonly Layer[] = [
  (line, random) => `${assignment(random)}; ${line}`,
  (line, random) => `${assignment(random)}; ${line}`,
  (line, random) => `${assignment(random)} ${line}`,
  (line, random) => `${assignment(random)} && ${line}`,
  (line, random) => `${line} | ${command(random)}`,
  (line, random) => `${line}; ${command(random)}`,
  (line, random) => `${line} && ${command(random)} || ${command(random)}`,
  (line) => `(${line})`,
  (line) => `{ ${line}; } 2>&1`,
  (line) => `${line} &\nwait`,
  (line) => `! ${line}`,
  (line) => `time ${line}`,
  (line) => `echo "$(${line})"`,
  (line, random) => `${command(random)} $(${line})`,
  (line, random) => `${command(random)} "$(${line})"`,
  (line, random) => `${command(random)} <(${line})`,
  (line) => `if [ -f f ]; then ${line}; fi`,
  (line) => `if [[ -n $x ]]; then ${line}; else ls; fi`,
  (line) => `for x in * -delete; do ${line}; done`,
  (line) => `for x in $(cat names); do ${line}; done`,
  (line) => `for ((i=0;i<2;i++)); do ${line}; done`,
  (line) => `for ((i=0, x=1; i<=x; i++)); do ${line}; done`,
  (line) => `for i in 1 2; do ${line}; done`,
  (line) => `for i in {1..3}; do ${line}; done`,
  (line) => `i=0; while ((i<2)); do ${line}; i=$((i+1)); done`,
  (line) => `x=1; [[ $x -lt 2 ]] && ${line}`,
  (line) => `x=f && ${line}`,
  (line) => `false && x=f; ${line}`,
  (line) => `x=1; (${line})`,
  (line) => `${line}; x=f`,
  (line) => `for PATH in bin; do ${line}; done`,
  (line) => `while read -r x; do ${line}; done < names`,
  (line) => `cat names | while IFS= read -r x; do ${line}; done`,
  (line) => `case $x in f) ${line};; *) ${line};; esac`,
  (line) => `select x in a; do ${line}; break; done <<< 1`,
  (line) => `cat names | xargs ${line}`,
  (line) => `cat names | xargs -I{} ${line} {}`,
  (line) => `ls | xargs -n1 ${line} --`,
  (line) => `find . -print0 | xargs -0 ${line}`,
  (line) => `env ${line}`,
  (line) => `env LC_ALL=C ${line}`,
  (line) => `env -i ${line}`,
  (line) => `timeout 2 ${line}`,
  (line) => `nice -n 1 ${line}`,
  (line) => `command ${line}`,
  (line) => `GIT_PAGER=cat ${line}`,
  (line) => `bash -c ${quoted(line)} _ -delete`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `LC_ALL=C ${line}`,
  (line) => `${line} > /dev/null 2>&1`,
  (line) => `${line} > pwned`,
  (line) => `${line} {PATH}<f`,
  (line) => `${line} < names`,
  (line) => `${line} <<< "$x"`,
  (line) => `cat <<E\n$(${line})\nE`,
  (line) => `cat <<E\n\${x:-'$(${line})'}\nE`,
  (line) => `[[ -f $(${line}) ]]`,
  (line) => `[ "$(${line})" = x ]`,
  (line) => `[[ $v -eq 0 ]]; ${line}`,
  (line) => `echo $((1 + $(${line})))`,
];

/** Texts that bash reads differently than they look: a continued line, an extra quote, a character that is not a blank. */
const mutations: readonly Layer[] = [
  (line, random) => inserted(line, random, '\\\n'),
  (line, random) => inserted(line, random, '\\\n'),
  (line, random) =>
    inserted(
      line,
      random,
      random.pick([
        "'",
        '"',
        '\\',
        '$',
        '`',
        '\r',
        '\v',
        '\u00a0',
        '#',
        '!',
        '{',
        '}',
        ';',
        '&',
        '|',
        '<',
        '>',
        '(',
        ')',
        '=',
        '~',
        '*',
        "''",
        '""',
        "$'",
        '$"',
      ]),
    ),
  (line, random) => {
    const at = random.below(line.length + 1);
    return line.slice(0, at) + line.slice(at + 1);
  },
];

function inserted(line: string, random: Random, text: string): string {
  const at = random.below(line.length + 1);
  return line.slice(0, at) + text + line.slice(at);
}

/** A command that reads, or almost: each construct may surround each command. */
export function generateReading(random: Random): string {
  let line = command(random);
  for (let depth = random.below(4); depth > 0; depth--) line = random.pick(layers)(line, random);
  for (let left = random.chance(4) ? 1 + random.below(2) : 0; left > 0; left--)
    line = random.pick(mutations)(line, random);
  return line;
}
