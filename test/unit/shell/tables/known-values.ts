type SafeCase = readonly [command: string, want: string];

/** Variables whose values are known from the command's text: the analysis replaces them. */
export const knownValues: readonly SafeCase[] = [
  ['x=1; echo $((x+1))', 'safe'],
  ['x=1; y=2; echo $((x*y - 3)) $[x]', 'safe'],
  ['x=1 && echo $((x+1))', 'safe'],
  ['for ((i=0;i<3;i++)); do echo $i $((i*2)); done', 'safe'],
  ['for i in 1 2 3; do echo $((i*2)); done', 'safe'],
  ['for i in {1..5}; do echo $((i - 1)); head -n 1 f; done', 'safe'],
  ['x=f; sort "$x"', 'safe'],
  ['x=f; sort $x', 'safe'],
  ['x=f; y=g; sort "$x" "$y" "src/$x"', 'safe'],
  ['f=README.md; if [ -f "$f" ]; then head -n 3 "$f"; fi', 'safe'],
  ['n=3; head -n "$n" f; sort -k $n f', 'safe'],
  ['(x=f; sort "$x")', 'safe'],
  ['bash -c \'x=f; sort "$x"\'', 'safe'],
  ['a=(1 2 3); for ((i=0; i<3; i++)); do echo ${a[i]} ${a[$i]}; done', 'safe'],
  ['x=5; [[ $x -gt 3 ]] && echo big; [[ x -gt 3 ]]', 'safe'],
  ['x=abc; n=1; echo ${x:n} ${x:$n:2}', 'safe'],
  ['x=0; while [ "$x" -lt 3 ]; do x=$((x+1)); echo $x; done', 'safe'],
  ['i=0; while ((i<3)); do echo $i; ((i++)); done', 'safe'],
  ['echo $((1 - 2)) $((3 -1))', 'safe'],
  ['n=2; awk "NR==$n" f', 'safe'],
  ['d=src; cd "$d"', 'safe'],
  ['d=sub; cd "$d"; git status', 'safe'],
  ['d=sub; cd $d && git diff; git log -p', 'safe'],
  ['d=sub; git -C "$d" status', 'safe'],
  ['d=sub; git -C $d --git-dir=$d/.git diff', 'safe'],
  ['b=main; git log "$b"', 'safe'],
  ['f=package.json; git log -p -- "$f"', 'safe'],
  ['n=5; git log -n "$n"', 'safe'],
  ['n=5; git log -"$n"', 'safe'],
  ['for i in 1 2 3; do sed -n "${i}p" f; done', 'safe'],
  ['for i in 1 2 3; do sed -n ${i}p f; done', 'safe'],
  ['for i in {1..3}; do sed -n "$i,/x/p" f; sed -n "1,${i}p;${i}q" f; done', 'safe'],
  ['for ((i=1; i<=3; i++)); do sed -n "${i}p" f; done', 'safe'],
  ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); sed -n "${i}p" f; done', 'safe'],
  ['n=3; sed -n "${n}p" f', 'safe'],
  ['f=f; for i in 1 2; do sed -n -e "${i}p" "$f"; done', 'safe'],
  ['for i in 1 2; do git show HEAD~$i; done', 'safe'],
  ['for i in 1 2; do git show "HEAD~$i" --stat; done', 'safe'],
  ['for i in 1 2; do head -n "$i" f; done', 'safe'],
  ['x=sub; find . -exec git -C "$x" diff \\;', 'safe'],
];

/** Variables that may have another value: from the environment, from another assignment, or in another shell. */
export const unknownValues: readonly SafeCase[] = [
  ['x=-o; sort "$x" f', 'sort -o is not among the options known to be safe'],
  [
    "x='a[$(touch pwned)]'; echo $((x))",
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'echo $((x+1))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'false && x=1; echo $((x+1))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1 & echo $((x+1))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1 | echo $((x+1))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    '(x=1); echo $((x+1))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=f & sort "$x"', 'a word that may become an option: put "--" or "./" before it'],
  ['false && x=f; sort "$x"', 'a word that may become an option: put "--" or "./" before it'],
  ['true || x=f; sort "$x"', 'a word that may become an option: put "--" or "./" before it'],
  ['x=f </nonexistent; sort "$x"', 'a word that may become an option: put "--" or "./" before it'],
  ['x=f; read x <<< -o; sort "$x" pwned', 'a word that may become an option: put "--" or "./" before it'],
  [
    'x=f; for x in -o; do :; done; sort "$x" pwned',
    'a word that may become an option: put "--" or "./" before it',
  ],
  ['x=f; x=-opwned; sort "$x"', 'a word that may become an option: put "--" or "./" before it'],
  ['x=f; bash -c \'sort "$x"\'', 'a word that may become an option: put "--" or "./" before it'],
  [
    'x=f; cat <<E\n$(x=-opwned; sort "$x")\nE',
    'a word that may become an option: put "--" or "./" before it',
  ],
  ['cat <<E; x=f\n$(sort "$x")\nE', 'a word that may become an option: put "--" or "./" before it'],
  [
    'x=1; read x < names; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=1; y=5; echo $((y$x))', 'arithmetic that is not plain numbers, which may run commands'],
  [
    'x=1; echo $((${x}y)) $((a${x}))',
    'arithmetic with "y", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=1; echo $((x[0]))', 'arithmetic that is not plain numbers, which may run commands'],
  [
    'x=1; echo $((y=x))',
    'arithmetic with "y", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; echo $((x ? y : 1))',
    'arithmetic with "y", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['IFS=/; x=a/-opwned; sort $x', 'without quotes it may become options'],
  ['read I"F"S <<< /; x=a/-opwned; sort $x', 'without quotes it may become options'],
  ['b=--output=pwned; git diff "$b"', 'git with "$b", which is an option: write it out'],
  ['d=-P; cd "$d" && git status', 'cd with "$d", which is an option: write it out'],
  ['c=diff; git "$c"', 'the git subcommand is not written plainly'],
  ['d=--exec-path=sub; git "$d" status', 'git with "$d", which is an option: write it out'],
  ['x=5; git diff --output=$x', 'git diff --output=5 is not among the options known to be safe'],
  ['d=sub; d=src; cd "$d"; git status', 'git in a folder that is known only when it runs'],
  ['read d < names; cd "$d"; git status', 'git in a folder that is known only when it runs'],
  ['cd "$d"; d=sub; git status', 'git in a folder that is known only when it runs'],
  ['d=sub | cd "$d"; git status', 'git in a folder that is known only when it runs'],
  ['d=sub; for x in 1 2; do cd "$d"; git diff; done', 'git in a folder that is known only when it runs'],
  ['b=x; git branch "$b"', 'git branch with a name makes a branch'],
  ['for i in 1 2; do git tag "v$i"; done', 'git tag with a name makes a tag'],
  [
    'for i in 1 2; do sed "${i}w pwned" f; done',
    'sed script "${i}w pwned" is not one of the print forms known to be safe',
  ],
  [
    'for i in w e; do sed -n "1${i}" f; done',
    'sed script "1${i}" is not one of the print forms known to be safe',
  ],
  ['for i in 1 2; do sed -n -${i}p f; done', 'a word that may become an option: put "--" or "./" before it'],
  ['for i in 1 2; do sed -i"$i" p f; done', 'a word that may become an option: put "--" or "./" before it'],
  [
    'for i in 1 2; do sed -n "${i}${x}p" f; done',
    'a word that may become an option: put "--" or "./" before it',
  ],
  [
    'for i in 1 2; do read i < names; sed -n "${i}p" f; done',
    'a word that may become an option: put "--" or "./" before it',
  ],
  [
    'sed -n "${i}p" f; for i in 1 2; do :; done',
    'a word that may become an option: put "--" or "./" before it',
  ],
  ['for i in 1 2; do sort "$i"; done', 'a word that may become an option: put "--" or "./" before it'],
  ['PATH=5; echo $((PATH))', 'it sets PATH, which bash or a program obeys'],
  ['for ((PATH=0;PATH<3;PATH++)); do ls; done', 'it sets PATH, which bash or a program obeys'],
  [
    'for ((i=v;i<3;i++)); do ls; done',
    'arithmetic with "i", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'for ((i=0;i<v;i++)); do ls; done',
    'arithmetic with "i", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'for ((;i<3;)); do ls; done',
    'arithmetic with "i", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    "for ((i=0;i<3;i++)); do read i <<< 'a[$(touch pwned)]'; done",
    'arithmetic with "i", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'while echo $((i)); do i=0; done',
    'arithmetic with "i", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'if x=1; then :; fi; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; x=$(cat names); echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; x+=v; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=v; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=08; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; unset x; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1 true; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; export x=v; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; mapfile x < names; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'f() { echo $((x)); }; f; x=1',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; : ${x:=v}; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; : $((x=v)); echo $((x))',
    'arithmetic with "v", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=-c; bash "$x" \'rm f\'', '"rm" is not in the table of safe commands'],
  ["x=bash; $x -c 'rm f'", 'the program is not written plainly'],
  ['x=rm; find . -exec "$x" {} \\;', 'the program is not written plainly'],
  ['x=rm; xargs "$x" < names', 'the program is not written plainly'],
  [
    'REPLY=1; read < names; echo $((REPLY))',
    'arithmetic with "REPLY", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; while read -r x; do echo $((x)); done < names',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; select x in v; do echo $((x)); done',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['SECONDS=1; echo $((SECONDS))', 'it sets SECONDS, which bash or a program obeys'],
  [
    'x=1; cat <(x=v; echo $((x)))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; echo $((x,v))',
    'arithmetic with "v", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=1; echo $((0x$x))', 'arithmetic that is not plain numbers, which may run commands'],
  ['x=1; [[ v -eq x ]]', '[[ -eq ]] evaluates its operands, which may run commands: [ -eq ] does not'],
  ['x=1; echo ${a[v]} ${y:v}', 'an index that is evaluated, which may run commands'],
  ['n=\'1 /x/ {system("touch pwned")}\'; awk "NR==$n" f', 'an awk program that is known only when it runs'],
  ['x=w; sed "$x pwned" f', 'sed script "w pwned" is not one of the print forms known to be safe'],
  ['x=w; sed -n "1$x" f', 'sed script "1w" is not one of the print forms known to be safe'],
  [
    'x=1; x=$((v)); echo $((x))',
    'arithmetic with "v", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=v; x=$((1)); echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=1; x+=$((1)); echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  ['x=1; y=$((1/0)); sort "$y"', 'a word that may become an option: put "--" or "./" before it'],
  [
    'x=1 y=${z:?}; echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    'x=$((1)); echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
  [
    '((x=1)); echo $((x))',
    'arithmetic with "x", which may run commands: where the command sets it to a number before, it is safe',
  ],
];
